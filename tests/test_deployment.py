"""The samples for operators can be read by the programs that they are for, and agree with the code."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.webserver import HEAD_SECONDS, IDLE_SECONDS, STOP_SECONDS
from config import read_settings
from tests.furniture.missing import lack

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests/deployment"
MOST_LINES = 120
SETTINGS = set(re.findall(r'"([A-Z]{3,}(?:_[A-Z]+)*)"', (ROOT / "config.py").read_text()))


def text_of(name):
    return (FOLDER / name).read_text()


def program(name, package):
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    return found or lack(name, f"apt install {package}")


@pytest.fixture
def certified(tmp_path):
    """Return what puts a certificate that exists in the place of the one that a sample names."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-subj", "/CN=rate.example.org", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    return lambda text: text.replace("/etc/ssl/certs/touchstone.crt", str(certificate)).replace(
        "/etc/ssl/private/touchstone.key", str(key)
    )


def test_nginx_reads_its_sample(tmp_path, certified):
    nginx = program("nginx", "nginx")
    # Ports below 1024 are root's.
    site = re.sub(
        r"listen (\S+)( ssl http2)?;", r"listen unix:ports-\1.sock\2;", certified(text_of("nginx.conf"))
    )
    places = "".join(
        f"{name}_temp_path {tmp_path}/{name}; "
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; events {{}} http {{ access_log off; {places} {site.replace('unix:', f'unix:{tmp_path}/')} }}"
    )

    done = subprocess.run(
        [nginx, "-t", "-p", str(tmp_path), "-e", "stderr", "-c", str(tmp_path / "nginx.conf")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


def test_caddy_reads_its_sample(tmp_path, certified):
    caddy = shutil.which("caddy") or pytest.skip("Caddy is not installed")
    (tmp_path / "Caddyfile").write_text(certified(text_of("Caddyfile")).replace("# tls", "tls"))

    done = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")],
        capture_output=True, text=True, check=False, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "Valid configuration" in done.stdout + done.stderr


def test_systemd_reads_its_sample(tmp_path):
    verify = shutil.which("systemd-analyze") or pytest.skip("systemd is not installed")
    unit = tmp_path / "touchstone.service"
    unit.write_text(text_of("touchstone.service").replace("/opt/touchstone/.venv/bin/flask", sys.executable))

    done = subprocess.run([verify, "verify", str(unit)], capture_output=True, text=True, check=False)

    assert [line for line in done.stderr.splitlines() if "touchstone" in line] == []


@pytest.mark.parametrize("name", ["touchstone", "../../.ci/run"])
def test_the_shell_reads_scripts(name):
    subprocess.run(["bash", "-n", FOLDER / name], check=True)


def test_the_page_is_short():
    assert len(text_of("README.md").splitlines()) <= MOST_LINES


def test_the_settings_of_the_page_are_settings(tmp_path):
    (written,) = re.findall(r"touchstone\.env <<END\n(.*?)END\n", text_of("README.md"), re.DOTALL)
    given = dict(line.split("=", 1) for line in written.replace("$SITE", "rate.example.org").splitlines())

    settings = read_settings({**given, "INSTANCE_PATH": str(tmp_path), "BACKUP_PATH": str(tmp_path)})

    assert given.keys() <= SETTINGS
    assert settings.is_https
    assert settings.database_url == "postgresql+psycopg:///touchstone?host=/var/run/postgresql"


@pytest.mark.parametrize("name", ["compose.yaml", "Containerfile"])
def test_containers_are_given_settings_that_there_are(name):
    started = re.findall(r"^ENV (.*)$", text_of(name), re.MULTILINE)
    given = {pair.partition("=")[0] for line in started for pair in line.split()}
    ours = text_of(name).partition("\n  database:")[0]
    given |= set(re.findall(r"^      ([A-Z_]+):", ours, re.MULTILINE))

    assert len(given) >= 4
    assert given <= SETTINGS


def test_the_compose_file_can_be_read():
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load(text_of("compose.yaml"))["services"]

    assert services.keys() == {"touchstone", "database", "proxy"}
    # Nobody reaches the site past the proxy.
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert (
        FOLDER / services["touchstone"]["build"]["context"] / services["touchstone"]["build"]["dockerfile"]
    ).exists()


def test_a_container_holds_files_that_there_are():
    copied = re.findall(r"^COPY (.*) \S+$", text_of("Containerfile"), re.MULTILINE)
    names = {name for line in copied for name in line.split()}

    assert {name for name in names if not (ROOT / name).exists()} == set()
    assert names >= {"app", "config.py", "migrations", "requirements.txt", "static", "templates"}


def test_proxies_give_up_connections_before_the_server_does():
    (nginx,) = re.findall(r"    keepalive_timeout (\d+)s;", text_of("nginx.conf"))
    (caddy,) = re.findall(r"\bkeepalive (\d+)s", text_of("Caddyfile"))
    heads = re.findall(
        r"client_header_timeout (\d+)s|read_header (\d+)s", text_of("nginx.conf") + text_of("Caddyfile")
    )

    assert int(nginx) < IDLE_SECONDS
    assert int(caddy) < IDLE_SECONDS
    assert {int(one or other) for one, other in heads} == {HEAD_SECONDS}


def test_proxies_let_the_largest_file_through(tmp_path):
    largest = read_settings({"INSTANCE_PATH": str(tmp_path)}).max_upload_mb + 1

    for name in ("nginx.conf", "Caddyfile"):
        ((one, other),) = re.findall(r"client_max_body_size (\d+)m|max_size (\d+)MB", text_of(name))
        # Caddy counts a million bytes as one.
        assert int(one or other) * (1024**2 if one else 10**6) >= largest * 1024**2


def test_a_stopped_server_has_time_to_end_and_takes_its_processes_along():
    unit = dict(re.findall(r"^([A-Za-z]+)=(.*)$", text_of("touchstone.service"), re.MULTILINE))

    assert unit["KillMode"] == "control-group"
    assert int(unit["TimeoutStopSec"]) > STOP_SECONDS * 2
    assert unit["ExecStart"].endswith("flask --app app serve")
    assert '["flask", "--app", "app", "serve"]' in text_of("Containerfile")
