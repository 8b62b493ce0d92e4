"""Settings: what is right is taken, and every wrong value stops the start with one sentence."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config import (
    ROOT,
    MailSettings,
    SettingError,
    Settings,
    read_image_hosts,
    read_mail,
    read_settings,
    read_webhook_hosts,
)

KEY = "0123456789abcdef0123456789abcdef"
WRONG = {
    "PORT": ["abc", "0", "65536", "-1", "80.0", "1e3", "８０", "9" * 5000],
    "TRUSTED_PROXIES": ["-1", "11", "yes"],
    "MAX_UPLOAD_MB": ["0", "1.5", "100001"],
    "IMPORT_MEMORY_MB": ["255", "much"],
    "PROJECT_MAKERS": ["nobody", "owner"],
    "METRICS_TOKEN": ["short", "a" * 40, "a token with blanks in it, long enough for anybody"],
    "AUDIT_DAYS": ["89", "-1", "for ever"],
    "PASSWORD_SIGN_IN": ["no", "off"],
    "OIDC_ISSUER": ["https://login.example.org"],
    "GROUP_ROLES": ["raters", "raters=annotator", "=admin", "raters=boss@shop", "raters=admin@shop"],
    "PROXY_EMAIL_HEADER": ["X-Auth-Email"],
    "PROXY_ADDRESSES": ["proxy", "10.1.2.3/8", "10.1.2"],
    "LOG_FORMAT": ["xml", "JSON"],
    "ACCESS_LOG": ["yes", "1"],
    "WEB_WORKERS": ["0", "65", "two"],
    "WEB_THREADS": ["1", "257", """ """ + "x"],
    "HOST": ["a b", "http://localhost", "x/y", "x" * 300, "ä"],
    "PUBLIC_URL": [
        "rate.example.org",
        "ftp://rate.example.org",
        "https://",
        "https://example.org/a/../b",
        "https://example.org/a//b",
        "https://example.org/.well-known",
        "https://example.org/a b",
        "https://example.org/a;b",
        "https://rate.example.org?x=1",
        "https://rate.example.org#top",
        "https://ada:secret@rate.example.org",
        "https://rate.example.org:99999",
        "https://rate.example.org:port",
        "https://[::1",
        "https://rate example.org",
        "https://rate.example.org\\@evil.example",
        "javascript:alert(1)",
    ],
    "DATABASE_URL": [
        "mysql://u:p@host/name",
        "host/name",
        "postgresql://",
        "postgresql://u:p@host:port/name",
        "postgresql://u:p@ho st/name",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///file:/var/data/t.sqlite3?uri=true",
        "sqlite:////var/data/t.sqlite3?uri=true",
    ],
    "SECRET_KEY": ["short", "x" * 31, "x" * 64, "ab" * 32],
    "INSTANCE_PATH": ["~nobody-of-that-name/touchstone"],
}


def read(tmp_path, **environ):
    return read_settings({"INSTANCE_PATH": str(tmp_path), **environ})


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_wrong_value_is_said_in_one_sentence_that_names_the_setting(tmp_path, name, value):
    with pytest.raises(SettingError) as refused:
        read(tmp_path, **{name: value})

    said = str(refused.value)
    assert name in said
    assert len(said) < 300
    assert "\n" not in said
    assert said.endswith(".")


@pytest.mark.parametrize("url", ["ada:hunter2@host/name", "postgresql://ada:hunter2@host:port/name"])
def test_a_wrong_database_url_is_not_repeated_because_it_holds_a_password(tmp_path, url):
    with pytest.raises(SettingError) as refused:
        read(tmp_path, DATABASE_URL=url)

    assert "hunter2" not in str(refused.value)


def test_a_wrong_value_leaves_no_key_behind(tmp_path):
    with pytest.raises(SettingError):
        read(tmp_path, PUBLIC_URL="nowhere")

    assert list(tmp_path.iterdir()) == []


def test_without_any_setting_everything_has_a_default(tmp_path):
    settings = read(tmp_path)

    assert settings.is_sqlite
    assert settings.address == "http://127.0.0.1:8000"
    assert settings.database_url == f"sqlite:///{tmp_path / 'touchstone.sqlite3'}"
    assert (settings.web_workers, settings.web_threads, settings.trusted_proxies) == (1, 20, 0)
    assert settings.uploads_path == tmp_path / "uploads"
    assert not settings.is_https


def test_empty_values_count_as_unset(tmp_path):
    empty = {name: " " for name in WRONG if name != "INSTANCE_PATH"} | {"SECRET_KEY": ""}

    assert read(tmp_path, **empty) == read(tmp_path)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("postgres://u:p@host/name", "postgresql+psycopg://u:p@host/name"),
        (
            "postgresql://u:p@host:5433/name?sslmode=require",
            "postgresql+psycopg://u:p@host:5433/name?sslmode=require",
        ),
        ("postgresql://u:p%2Fq#r@host/name", "postgresql+psycopg://u:p%2Fq#r@host/name"),
        (
            "postgresql:///name?host=/var/run/postgresql",
            "postgresql+psycopg:///name?host=/var/run/postgresql",
        ),
        ("postgresql://u@[::1]:5432/name", "postgresql+psycopg://u@[::1]:5432/name"),
        ("postgresql+psycopg://host/name", "postgresql+psycopg://host/name"),
        ("sqlite:////var/data/t.sqlite3", "sqlite:////var/data/t.sqlite3"),
    ],
)
def test_database_urls_are_taken_as_people_write_them(tmp_path, given, used):
    assert read(tmp_path, DATABASE_URL=given).database_url == used


@pytest.mark.parametrize("url", ["", "postgresql://host/name"])
def test_either_database_is_served_by_several_processes(tmp_path, url):
    assert read(tmp_path, WEB_WORKERS="2", DATABASE_URL=url).web_workers == 2


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({"HOST": "0.0.0.0", "PORT": "9000"}, "http://127.0.0.1:9000"),
        ({"HOST": "::1"}, "http://[::1]:8000"),
        ({"HOST": "::"}, "http://[::1]:8000"),
        ({"HOST": "localhost"}, "http://localhost:8000"),
        ({"HOST": "0.0.0.0", "PUBLIC_URL": "https://rate.example.org/"}, "https://rate.example.org"),
        ({"PUBLIC_URL": "http://[2001:db8::1]:8080"}, "http://[2001:db8::1]:8080"),
        ({"PUBLIC_URL": "https://example.org/rate/us/"}, "https://example.org/rate/us"),
    ],
)
def test_the_address_is_one_that_people_can_open(tmp_path, environ, address):
    assert read(tmp_path, **environ).address == address


@pytest.mark.parametrize(
    ("url", "origin", "path", "cookies"),
    [
        ("https://example.org", "https://example.org", "", ("__Host-", "/")),
        ("https://example.org/rate/us/", "https://example.org", "/rate/us", ("__Secure-", "/rate/us")),
        ("http://example.org:81/rate", "http://example.org:81", "/rate", ("", "/rate")),
        ("", "http://127.0.0.1:8000", "", ("", "/")),
    ],
)
def test_a_site_may_be_below_a_path_of_its_host(tmp_path, url, origin, path, cookies):
    settings = read(tmp_path, PUBLIC_URL=url)

    assert (settings.origin, settings.path) == (origin, path)
    assert (settings.cookie_prefix, settings.cookie_path) == cookies


def test_only_https_makes_cookies_secure(tmp_path):
    assert read(tmp_path, PUBLIC_URL="https://rate.example.org").is_https
    assert not read(tmp_path, PUBLIC_URL="http://rate.example.org").is_https


def test_a_key_is_made_once_for_its_owner_only(tmp_path):
    first = read(tmp_path / "new" / "folder")
    second = read(tmp_path / "new" / "folder")

    path = tmp_path / "new" / "folder" / "secret_key"
    assert first.secret_key == second.secret_key == path.read_text()
    assert len(first.secret_key) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_that_exists_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)

    read(tmp_path)

    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_each_installation_has_its_own_key(tmp_path):
    assert read(tmp_path / "a").secret_key != read(tmp_path / "b").secret_key


def test_a_key_that_others_can_read_is_closed_again(tmp_path):
    read(tmp_path)
    path = tmp_path / "secret_key"
    path.chmod(0o644)

    read(tmp_path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"\xff\xfe\x00", b"0" * 64])
def test_a_damaged_key_is_said_with_its_place_and_not_used(tmp_path, content):
    (tmp_path / "secret_key").write_bytes(content)

    with pytest.raises(SettingError, match=r"secret_key is damaged: remove the file"):
        read(tmp_path)


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    code = f"from config import read_settings; print(read_settings({{'INSTANCE_PATH': {str(tmp_path)!r}}}).secret_key)"
    started = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    keys = {process.communicate(timeout=60)[0] for process in started}

    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_given_key_is_used_and_stored_nowhere(tmp_path):
    assert read(tmp_path, SECRET_KEY=KEY).secret_key == KEY
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingError, match=r"^INSTANCE_PATH .* cannot be written"):
        read(tmp_path / "file")


def test_settings_do_not_show_their_secrets(tmp_path):
    settings = read(tmp_path, SECRET_KEY=KEY, DATABASE_URL="postgresql://u:hunter2@host/name")

    assert KEY not in repr(settings)
    assert "hunter2" not in repr(settings)


@pytest.mark.thorough
@pytest.mark.parametrize("command", [["serve"], ["run"], ["user", "reset", "ada@example.org"]])
def test_a_command_says_the_sentence_and_nothing_else(tmp_path, command):
    clean = {name: value for name, value in os.environ.items() if name not in WRONG}
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", *command],
        cwd=ROOT,
        env={**clean, "INSTANCE_PATH": str(tmp_path), "PORT": "http"},
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "Error: PORT is 'http': set it to a whole number from 1 to 65535, or unset it.\n"


def test_only_config_reads_the_environment():
    reading = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "app").rglob("*.py")
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    }

    # What runs elsewhere: the client that is downloaded, and the step of a pipeline that is printed.
    assert reading == {"app/api/client.py", "app/cli/pipeline.py"}


def test_settings_cannot_be_changed_later():
    settings = Settings(instance_path=Path(), database_url="sqlite:///x", secret_key=KEY)

    with pytest.raises(AttributeError):
        settings.secret_key = "another"


NO_HOSTS = "127.0.0.1 localhost [::1] https://a.example a.example/x *.example me@a.example a.example:99999"


@pytest.mark.parametrize("wrong", [*NO_HOSTS.split(), "private:", "private:a:0", "private:a:1:2"])
def test_a_host_of_webhooks_that_cannot_be_meant_is_refused(wrong):
    with pytest.raises(SettingError, match="WEBHOOK_HOSTS"):
        read_webhook_hosts({"WEBHOOK_HOSTS": wrong})


MAIL = {
    "SMTP_URL": "smtp://ada:p%40ss@mail.example.org",
    "MAIL_FROM": "Ratings <ratings@example.org>",
    "PUBLIC_URL": "https://rate.example.org",
}


def test_e_mails_need_a_server_a_sender_and_an_address_for_links():
    assert read_mail({"PUBLIC_URL": MAIL["PUBLIC_URL"]}) is None
    found = read_mail(MAIL)
    assert found == MailSettings(
        host="mail.example.org",
        port=587,
        is_tls=False,
        sender="Ratings <ratings@example.org>",
        user="ada",
        password="p@ss",
    )
    assert "p@ss" not in repr(found)
    assert read_mail(MAIL | {"SMTP_URL": "smtps://127.0.0.1"}).port == 465

    for name in MAIL:
        with pytest.raises(SettingError, match="set all three"):
            read_mail(MAIL | {name: ""})
    for wrong in ("mail.example.org", "https://a", "smtp://", "smtp://a:x", "smtp://ada@a", "smtp://a/x"):
        with pytest.raises(SettingError, match="SMTP_URL cannot be read"):
            read_mail(MAIL | {"SMTP_URL": wrong})
    for wrong in ("Ada", "a@b.example\nBcc: c@d.example", "<a@b.example", "a@b.example>", "a@b, c@d"):
        with pytest.raises(SettingError, match="MAIL_FROM"):
            read_mail(MAIL | {"MAIL_FROM": wrong})


def test_hosts_of_images_are_names_and_none_by_default():
    assert read_image_hosts({}) == frozenset()
    named = {"IMAGE_HOSTS": "Images.Example.org, cdn.example.com"}
    assert read_image_hosts(named) == {"images.example.org", "cdn.example.com"}


@pytest.mark.parametrize(
    "wrong", ["127.0.0.1", "localhost", "https://a.example", "a.example:80", "*.example", "[::1]"]
)
def test_a_host_of_images_that_is_no_name_is_refused(wrong):
    with pytest.raises(SettingError, match="IMAGE_HOSTS"):
        read_image_hosts({"IMAGE_HOSTS": wrong})


PROVIDER = {"OIDC_CLIENT_ID": "touchstone", "OIDC_CLIENT_SECRET": "a secret of both"}


def test_sign_in_by_the_organisation_is_read_with_its_groups(tmp_path):
    found = read(
        tmp_path,
        **PROVIDER,
        OIDC_ISSUER="https://login.example.org/realms/main/",
        GROUP_ROLES="search leads=owner@shop, ops=admin,",
        PASSWORD_SIGN_IN="off",
    ).sign_in

    assert (found.issuer, found.passwords) == ("https://login.example.org/realms/main", False)
    assert found.group_roles == (("search leads", "owner", "shop"), ("ops", "admin", ""))
    assert "a secret of both" not in repr(found)


@pytest.mark.parametrize(
    "issuer",
    ["login.example.org", "http://login.example.org", "https://", "https://login.example.org?x=1", "ftp://x"],
)
def test_an_issuer_must_be_reached_safely(tmp_path, issuer):
    with pytest.raises(SettingError, match="OIDC_ISSUER is no issuer"):
        read(tmp_path, **PROVIDER, OIDC_ISSUER=issuer)


def test_headers_count_only_with_a_trusted_proxy(tmp_path):
    found = read(tmp_path, PROXY_EMAIL_HEADER="X-Auth-Email", TRUSTED_PROXIES="1").sign_in

    assert found.email_header == "X-Auth-Email"
    assert [str(each) for each in found.proxy_networks] == ["127.0.0.0/8", "::1/128"]
    named = read(tmp_path, PROXY_ADDRESSES="10.1.2.3, 172.18.0.0/16").sign_in.proxy_networks
    assert [str(each) for each in named] == ["10.1.2.3/32", "172.18.0.0/16"]
    for wrong in ({"PROXY_NAME_HEADER": "X-Name", "TRUSTED_PROXIES": "1"}, {"PROXY_EMAIL_HEADER": "X: y"}):
        with pytest.raises(SettingError):
            read(tmp_path, **wrong)
