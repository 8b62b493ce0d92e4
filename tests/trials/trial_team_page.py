"""Type the page "Run it for a team" (tests/deployment/README.md) word for word, and use the site that comes of it.

`make trial-team-page` needs root on Debian, and the network for apt and pip. Everything happens in namespaces of
its own: folders of the system are overlaid, processes end with it, and the site has a loopback of its own, so
nothing of it remains but what pip caches. Only the line with the site's name and the origin of the code is another one.

No systemd runs in there. `systemctl` and `journalctl` are stand-ins that start what the units name, as the users
that they name; what units say of protection is checked by `systemd-analyze verify` alone. Exit status 1 where a
command fails, or where the site does not do what the page says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests/deployment/README.md"
SITE = "rate.example.org"
MOUNT = Path("/mnt")
OVERLAID = ("etc", "var", "opt", "usr", "home")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## .*$", re.MULTILINE)
FIRST_LINE = re.compile(r"export SITE=\S+ SOURCE=\S+\n")
IN_NETWORK = ["ip", "netns", "exec", "trial"]
PASSWORD = "a long enough password"
CERTIFICATE = "/etc/ssl/certs/touchstone.crt"

SYSTEMCTL = """#!{python}
import os, pwd, re, shlex, signal, subprocess, sys, time
LOG, PID = "/var/log/touchstone.log", "/run/touchstone.pid"
def start(unit):
    if unit == "postgresql":
        return subprocess.check_call(["sh", "-c", "pg_ctlcluster $(pg_lsclusters -h | awk '{{print $1, $2; exit}}') start"])
    if unit in ("nginx", "caddy"):
        words = {{"nginx": ["nginx"], "caddy": ["setpriv", "--reuid", "caddy", "--regid", "caddy", "--init-groups",
                 "--ambient-caps", "+net_bind_service", "--inh-caps", "+net_bind_service",
                 "env", "HOME=/var/lib/caddy", "caddy", "start", "--config", "/etc/caddy/Caddyfile"]}}[unit]
        # Caddy is started only where the page asks for it: apt's own start meets a port that nginx has left.
        return subprocess.check_call(["ip", "netns", "exec", "trial", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = open("/etc/systemd/system/touchstone.service").read()
    said = dict(re.findall(r"^([A-Za-z]+)=(.*)$", text, re.M))
    env = {{"PATH": "/usr/bin:/bin", "HOME": pwd.getpwnam(said["User"]).pw_dir, "LANG": "C.UTF-8"}}
    env |= dict(line.rstrip().split("=", 1) for line in open(said["EnvironmentFile"]) if "=" in line)
    words = ["ip", "netns", "exec", "trial", "setpriv", "--reuid", said["User"], "--regid", said["Group"], "--init-groups"]
    words += ["--bounding-set", "-all", "--no-new-privs", *shlex.split(said["ExecStart"])]
    server = subprocess.Popen(words, cwd=said["WorkingDirectory"], env=env, umask=int(said["UMask"], 8),
                              stdin=subprocess.DEVNULL, stdout=open(LOG, "ab"), stderr=subprocess.STDOUT, start_new_session=True)
    open(PID, "w").write(str(server.pid))
def stop(unit):
    if unit == "nginx":
        return subprocess.call(["nginx", "-s", "quit"])
    if unit == "caddy":
        return subprocess.call(["pkill", "-x", "caddy"])
    if not os.path.exists(PID):
        return
    leader = int(open(PID).read())
    os.unlink(PID)
    for number, wait in ((signal.SIGTERM, 10), (signal.SIGKILL, 1)):
        try:
            os.kill(leader, number) if number == signal.SIGTERM else os.killpg(leader, number)
        except ProcessLookupError:
            return
        until = time.monotonic() + wait
        while time.monotonic() < until:
            try:
                os.killpg(leader, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
words = [word for word in sys.argv[1:] if not word.startswith("-")]
what, units = words[0], words[1:]
for unit in units:
    if what in ("start", "restart") or (what == "enable" and "--now" in sys.argv):
        if what == "restart":
            stop(unit); time.sleep(1)
        start(unit)
    elif what == "stop" or (what == "disable" and "--now" in sys.argv):
        stop(unit); time.sleep(1)
    elif what == "reload":
        subprocess.check_call([unit, "-s", "reload"])
"""
JOURNALCTL = "#!/bin/sh\ncat /var/log/touchstone.log\n"


# Sends a head, or a body, byte by byte, and prints after how many seconds somebody has had enough of it.
SLOW = f"""
import socket, ssl, sys, time
start = {{"head": b"GET /sign-in HTTP/1.1\\r\\nX-Slow: ",
         "body": b"POST /sign-in HTTP/1.1\\r\\nHost: {SITE}\\r\\nContent-Length: 100000\\r\\n\\r\\n"}}[sys.argv[1]]
plain = socket.create_connection(("127.0.0.1", 443))
with ssl.create_default_context(cafile="{CERTIFICATE}").wrap_socket(plain, server_hostname="{SITE}") as slow:
    slow.settimeout(1)
    began = time.monotonic()
    slow.sendall(start)
    while time.monotonic() - began < 90:
        try:
            slow.sendall(b"a")
            if not slow.recv(1) or sys.argv[1] == "body":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    print(time.monotonic() - began)
"""


class Trial:
    """The page, typed block by block, and what is looked at in between."""

    def __init__(self) -> None:
        self.folder = MOUNT / "trial"
        self.source = self.folder / "source"
        path = f"{self.folder / 'bin'}:{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
        self.environment = {**os.environ, "PATH": path, "SITE": SITE, "SOURCE": str(self.source)}
        for name in ("INSTANCE_PATH", "DATABASE_URL", "PUBLIC_URL", "PORT", "VIRTUAL_ENV"):
            self.environment.pop(name, None)
        self.environment["DEBIAN_FRONTEND"] = "noninteractive"
        self.cookies = self.folder / "cookies"
        self.checks = 0

    def prepare(self) -> None:
        """Overlay the machine, give it a network of its own, and put the code where it is cloned from."""
        run("mount", "-t", "tmpfs", "-o", "size=4g", "tmpfs", MOUNT)
        for name in OVERLAID:
            upper, work = (MOUNT / f"{name}.{kind}" for kind in ("upper", "work"))
            upper.mkdir()
            work.mkdir()
            shutil.copystat(f"/{name}", upper)
            options = f"lowerdir=/{name},upperdir={upper},workdir={work}"
            run("mount", "-t", "overlay", "overlay", "-o", options, f"/{name}")
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        Path("/run/lock").mkdir()
        (self.folder / "bin").mkdir(parents=True)
        for name, text in (
            ("systemctl", SYSTEMCTL.format(python=sys.executable)),
            ("journalctl", JOURNALCTL),
        ):
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)
        run("ip", "netns", "add", "trial")
        run(*IN_NETWORK, "ip", "link", "set", "lo", "up")
        with Path("/etc/hosts").open("a") as hosts:
            hosts.write(f"127.0.0.1 {SITE}\n")
        self._copy_code()

    def _copy_code(self) -> None:
        files = subprocess.check_output(
            ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
        )
        for name in filter(None, files.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.source / name)
        self._git("init", "--quiet", "--initial-branch", "main")
        self._commit("The code")

    def _git(self, *words: str) -> None:
        run("git", "-c", "user.name=Trial", "-c", "user.email=trial@example.org", *words, cwd=self.source)

    def _commit(self, title: str) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", title)

    def type(self, block: str) -> str:
        """Type one block as it is printed, and return what it printed."""
        fetches = any(word in block for word in ("apt-get", "pip install", "git clone"))
        began = time.monotonic()
        done = subprocess.run(
            [*([] if fetches else IN_NETWORK), "bash", "-e", "-u", "-o", "pipefail", "-c", block],
            env=self.environment, cwd="/", check=False, capture_output=True, text=True,
        )  # fmt: skip
        print(f"{time.monotonic() - began:6.1f} s  {block.strip().splitlines()[0][:90]}", flush=True)
        if done.returncode:
            log = Path("/var/log/touchstone.log")
            tail = log.read_text()[-3000:] if log.exists() else ""
            sys.exit(
                f"FAILED ({done.returncode}):\n{block}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}\n{tail}"
            )
        return done.stdout

    def curl(self, path: str, *words: str) -> tuple[int, str]:
        """Ask the site as a visitor would, by its name and over TLS; return status and body."""
        jar = str(self.cookies)
        done = subprocess.run(
            [
                *IN_NETWORK, "curl", "--silent", "--show-error", "--max-time", "60", "--cacert", CERTIFICATE,
                "--cookie", jar, "--cookie-jar", jar, "--write-out", "\n%{http_code}",
                *words, path if path.startswith("http") else f"https://{SITE}{path}",
            ],
            env=self.environment, check=False, capture_output=True, text=True,
        )  # fmt: skip
        body, _, status = done.stdout.rpartition("\n")
        return int(status or 0), body if status != "000" else done.stderr

    def submit(self, path: str, **fields: str) -> int:
        """Send the form of a page, and return the status of the answer."""
        _, page = self.curl(path)
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        given = {"csrf_token": token[1] if token else "", **fields}
        words = [part for name, value in given.items() for part in ("--data-urlencode", f"{name}={value}")]
        return self.curl(path, *words, "--header", f"Referer: https://{SITE}/")[0]

    def check(self, is_so: bool, what: str) -> None:
        """End the trial unless something is so."""
        if not is_so:
            sys.exit(f"NOT SO: {what}")
        self.checks += 1
        print(f"          so: {what}", flush=True)

    def wait(self, address: str = "/readyz", status: int = 200) -> None:
        """Wait until the site is ready, or until an address answers with a status."""
        until = time.monotonic() + 60
        while self.curl(address)[0] != status:
            if time.monotonic() > until:
                sys.exit(f"{address} does not answer with {status}: {self.curl(address)}")
            time.sleep(0.2)

    def scores(self) -> str:
        """Return the scores of the demo, which every rating moves."""
        return self.type("touchstone score kettle-lane --json")


def main() -> int:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("This trial needs root and unshare: it runs in namespaces of its own.")
        return 2
    if "--inside" not in sys.argv:
        words = [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            sys.executable,
            __file__,
        ]
        return subprocess.run([*words, "--inside"], check=False).returncode
    trial = Trial()
    trial.prepare()
    for heading, blocks in parts_of(PAGE.read_text()):
        print(heading, flush=True)
        for block in blocks:
            printed = trial.type(FIRST_LINE.sub("", block))
            if "apt-get install" in block and "postgresql" in block:
                # As apt does where systemd runs.
                trial.type("systemctl start postgresql\nsystemctl start nginx")
            AFTER.get(heading.split()[1], lambda *_: None)(trial, printed)
    print(f"Every command of the page ran, and {trial.checks} things were looked at.")
    return 0


def parts_of(text: str) -> list[tuple[str, list[str]]]:
    """Return the headings of the page with the blocks to type below each."""
    starts = [*HEADING.finditer(text)]
    ends = [*(each.start() for each in starts[1:]), len(text)]
    return [(each[0], BLOCK.findall(text[each.end() : end])) for each, end in zip(starts, ends, strict=True)]


def look_at_nginx(trial: Trial, _printed: str) -> None:
    """Look at what the proxy is for."""
    trial.wait()
    # The proxy ends the worker with its old settings in a moment of its own.
    trial.wait(f"http://{SITE}/help", 301)
    trial.check(trial.curl(f"http://{SITE}/help")[0] == 301, "http leads to https")
    look_at_proxy(trial, {"head": 20, "body": 50})


def look_at_proxy(trial: Trial, patience: dict[str, int]) -> None:
    """Look at what visitors claim, and at what is too large."""
    log = Path("/var/log/touchstone.log")
    before = len(log.read_text())
    trial.curl("/invitation/none", "--header", "X-Forwarded-For: 192.0.2.66")
    time.sleep(0.2)
    said = log.read_text()[before:]
    trial.check("127.0.0.1 GET /invitation/<token> 410" in said, "the log has the visitor's own address")
    trial.check("192.0.2.66" not in said, "an address that a visitor claims counts for nothing")
    large = trial.folder / "large"
    with large.open("wb") as file:
        file.truncate(600 * 1024 * 1024)
    status, _ = trial.curl("/sign-in", "--request", "POST", "--upload-file", str(large))
    trial.check(status == 413, "a body of 600 MB is refused by its length")
    slow = {
        what: subprocess.Popen([*IN_NETWORK, sys.executable, "-c", SLOW, what], stdout=subprocess.PIPE)
        for what in patience
    }
    for what, process in slow.items():
        took = float(process.communicate()[0] or 0)
        trial.check(took < patience[what], f"a {what} that comes byte by byte is cut off after {took:.0f} s")
    trial.curl("/sign-in")
    kept = trial.cookies.read_text()
    trial.check(
        re.search(r"\tTRUE\t\d+\t__Host-touchstone\t", kept) is not None, "cookies are bound to https"
    )


def look_at_account(trial: Trial, printed: str) -> None:
    """Make the first account with the link that was printed."""
    link = printed.splitlines()[0]
    trial.check(link.startswith(f"https://{SITE}/set-up/"), "the log holds the set-up link")
    trial.check("error" not in printed, "check-deploy finds no error")
    fields = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD, "again": PASSWORD}
    trial.check(trial.submit(link.removeprefix(f"https://{SITE}"), **fields) == 302, "it makes an account")
    trial.check("demo data" in trial.curl("/")[1], "which sees the demo")


def look_at_backups(trial: Trial, _printed: str) -> None:
    """Remember what the backup holds, and change something afterwards."""
    trial.remembered = trial.scores()  # type: ignore[attr-defined]
    made = trial.type("ls /var/backups/touchstone")
    trial.check(
        "by-hand.dump" in made and "touchstone-20" in made, "there is a backup by hand and one by schedule"
    )
    # What the upgrade brings.
    (trial.source / "CHANGELOG.md").write_text("# Another version\n")
    trial._commit("Another version")


def look_at_upgrade(trial: Trial, _printed: str) -> None:
    """Look whether the newer code runs, and change what a restore takes back."""
    trial.wait()
    trial.check(
        Path("/opt/touchstone/CHANGELOG.md").read_text() == "# Another version\n", "the newer code is there"
    )
    trial.check("demo data" in trial.curl("/")[1], "people are still signed in")
    trial.type("touchstone project create later --name Later --scale 0-3")
    trial.check("Later" in trial.curl("/")[1], "a project is made after the backup")


def look_at_restore(trial: Trial, _printed: str) -> None:
    """Look whether all is as it was when the backup was made."""
    trial.wait()
    trial.check(trial.scores() == trial.remembered, "every score is what it was")  # type: ignore[attr-defined]
    trial.check(trial.curl("/")[0] == 302, "everybody signs in again")
    trial.check(trial.submit("/sign-in", email="ada@example.org", password=PASSWORD) == 302, "which works")
    page = trial.curl("/")[1]
    trial.check("demo data" in page and "Later" not in page, "what came after the backup is gone")
    printed = trial.type("touchstone check-deploy")
    trial.check("warning" not in printed and "error" not in printed, "check-deploy finds nothing amiss")


def look_at_caddy(trial: Trial, _printed: str) -> None:
    """Look at the same site through the other proxy."""
    trial.wait()
    trial.check("server: caddy" in trial.curl("/sign-in", "--head")[1].lower(), "Caddy answers")
    trial.check("demo data" in trial.curl("/")[1], "people are still signed in")
    # Of a small body Caddy waits for the rest, though the site has closed its connection.
    look_at_proxy(trial, {"head": 20})


AFTER = {
    "4.": look_at_nginx,
    "5.": look_at_account,
    "6.": look_at_backups,
    "7.": look_at_upgrade,
    "8.": look_at_restore,
    "Caddy": look_at_caddy,
}


def run(*words: object, cwd: Path | None = None) -> None:
    subprocess.run([str(word) for word in words], check=True, cwd=cwd)


if __name__ == "__main__":
    sys.exit(main())
