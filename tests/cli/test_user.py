"""`flask user`: accounts and links; a refusal is one line, and a password is never an argument."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import select

from app.models import Invitation, Person
from config import read_mail

LINK = re.compile(r"http://127\.0\.0\.1:8000/(reset|invitation)/([\w-]{43})\b")


@pytest.fixture
def people(stored):
    def people():
        with stored.read() as session:
            return session.scalars(select(Person).order_by(Person.id)).all()

    return people


@pytest.fixture
def project(making):
    with making() as make:
        return make.project(slug="help-centre")


def link_in(result):
    assert result.exit_code == 0, result.output
    (found,) = LINK.finditer(result.output)
    return f"/{found[1]}/{found[2]}"


def test_an_account_is_made_and_its_owner_chooses_the_password(run_command, client, people):
    made = run_command("user", "create", " Ada@Example.org", "--name", "Ada Byron")

    (ada,) = people()
    assert (ada.email, ada.name, ada.is_admin, ada.password_hash) == (
        "ada@example.org",
        "Ada Byron",
        False,
        None,
    )
    assert "within 30 minutes" in made.output
    chosen = {"password": "a long enough one", "again": "a long enough one"}
    assert client.post(link_in(made), data=chosen).status_code == 302
    assert client.get("/api/v1/session").json["person"] == ada.public_id


@pytest.mark.thorough
def test_an_administrator_is_made_only_when_asked_for(run_command, people):
    run_command("user", "create", "ada@example.org", "--name", "Ada", "--admin")

    assert [person.is_admin for person in people()] == [True]


def test_an_invitation_gives_its_role_once(run_command, client, project, people):
    invited = run_command("user", "invite", "help-centre", "--role", "viewer", "--email", "EVE@example.org")
    new = {"name": "Eve", "email": "eve@example.org", "password": "a long enough one"}

    assert "as viewer of help-centre" in invited.output
    path = link_in(invited)
    assert client.post(path, data={**new, "email": "mallory@example.org"}).status_code == 200
    assert client.post(path, data=new).status_code == 302
    assert client.post("/sign-in", data=new).status_code == 302
    assert client.get("/p/help-centre/").status_code == 200
    assert client.get(path).status_code == 410


@pytest.mark.thorough
def test_an_invitation_is_sent_where_there_is_a_server_for_e_mails(run_command, project, post, app):
    settings = app.extensions["settings"]
    app.extensions["settings"] = replace(settings, mail=read_mail())

    sent = run_command("user", "invite", "help-centre", "--email", "eve@example.org")
    post.answers.append("550 no such box")
    refused = run_command("user", "invite", "help-centre", "--email", "mallory@example.org")

    (letter,) = post.taken
    assert letter["To"] == "eve@example.org"
    assert sent.output.partition("/invitation/")[2].split()[0] in letter.get_content()
    assert "The link was sent to eve@example.org." in sent.output
    assert "could not be sent to mallory@example.org: no such box" in refused.output


def test_people_are_invited_to_rate_unless_said_otherwise(run_command, project, stored):
    run_command("user", "invite", "help-centre")

    with stored.read() as session:
        link = session.scalars(select(Invitation)).one()
    assert (link.role, link.project_id, link.email) == ("annotator", project.id, None)


def test_a_reset_link_sets_a_new_password(run_command, client, making):
    with making() as make:
        make.person(email="ada@example.org", is_admin=True)

    path = link_in(run_command("user", "reset", "ADA@example.org "))

    chosen = {"password": "a long enough one", "again": "a long enough one"}
    assert client.post(path, data=chosen).status_code == 302


def test_links_name_the_public_address(settings, run_command, app, project):
    from dataclasses import replace

    app.extensions["settings"] = replace(settings, public_url="https://rate.example.org")

    assert "https://rate.example.org/invitation/" in run_command("user", "invite", "help-centre").output


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["create", "nonsense", "--name", "Ada"], "'nonsense' is not an e-mail address."),
        (
            ["create", "taken@example.org", "--name", "Ada"],
            "There is already an account for taken@example.org.",
        ),
        (["create", "ada@example.org", "--name", " "], "A name has 1 to 200 characters."),
        (["create", "ada@example.org", "--name", "x" * 201], "A name has 1 to 200 characters."),
        (["invite", "nowhere"], "There is no project 'nowhere'."),
        (["invite", "help-centre", "--email", "nonsense"], "'nonsense' is not an e-mail address."),
        (["reset", "nobody@example.org"], "There is no account for nobody@example.org."),
        (["reset", "nonsense"], "There is no account for nonsense."),
        (["reset", "file@example.org"], "A file is not an account that signs in."),
    ],
)
def test_a_refusal_is_one_line_and_changes_nothing(
    run_command, making, project, people, stored, words, message
):
    with making() as make:
        make.person(email="taken@example.org")
        make.person("A file", email="file@example.org", kind="imported")
    before = len(people())

    result = run_command("user", *words)

    assert result.exit_code == 1
    assert result.output == f"Error: {message}\n"
    assert len(people()) == before
    with stored.read() as session:
        assert session.scalars(select(Invitation)).all() == []


@pytest.mark.parametrize(
    "words",
    [
        ["create", "ada@example.org"],
        ["create", "--name", "Ada"],
        ["create", "ada@example.org", "--name", "Ada", "--password", "secret-one"],
        ["invite", "help-centre", "--role", "admin"],
        ["reset"],
        ["remove", "ada@example.org"],
    ],
)
def test_what_is_no_command_is_said_with_status_2(run_command, project, people, words):
    result = run_command("user", *words)

    assert result.exit_code == 2
    assert people() == []


@pytest.mark.parametrize(
    "words", [[], ["create"], ["invite"], ["reset"], ["list"], ["disable"], ["enable"], ["confirm"]]
)
def test_every_command_helps_with_an_example(run_command, words):
    result = run_command("user", *words, "--help")

    assert result.exit_code == 0
    assert "Example: flask --app app user " in result.output
    assert "password" not in [word.strip("-") for word in result.output.split() if word.startswith("--")]


def test_a_token_is_shown_once_and_stored_hashed(run_command, project, settings, tmp_path):
    token = link_in(run_command("user", "invite", "help-centre")).rpartition("/")[2]

    kept = b"".join(path.read_bytes() for path in tmp_path.glob("touchstone.sqlite3*"))
    assert token.encode() not in kept


def test_a_database_without_tables_is_said_with_its_remedy(run_command, app, settings, tmp_path):
    from dataclasses import replace

    app.extensions["settings"] = replace(settings, database_url=f"sqlite:///{tmp_path}/empty.sqlite3")

    result = run_command("user", "reset", "ada@example.org")

    assert result.exit_code == 1
    assert result.output == "Error: The database has no tables yet: run `flask --app app db upgrade`.\n"


def test_a_file_that_is_no_database_is_said(run_command, app, settings, tmp_path):
    from dataclasses import replace

    (tmp_path / "notes.txt").write_text("These are notes and not a database. " * 100)
    app.extensions["settings"] = replace(settings, database_url=f"sqlite:///{tmp_path}/notes.txt")

    result = run_command("user", "reset", "ada@example.org")

    assert result.exit_code == 1
    assert result.output == "Error: The database cannot be used: file is not a database\n"


def test_a_folder_that_cannot_be_made_is_said(run_command, app, settings, tmp_path):
    from dataclasses import replace

    (tmp_path / "file").write_text("")
    app.extensions["settings"] = replace(settings, database_url=f"sqlite:///{tmp_path}/file/deeper/t.sqlite3")

    result = run_command("user", "reset", "ada@example.org")

    assert result.exit_code == 1
    assert result.output.startswith("Error: The database cannot be used: ")
    assert result.output.count("\n") == 1


def test_accounts_are_listed_with_roles_and_found_by_a_text(run_command, making, project):
    with making() as make:
        make.person("Ada", email="ada@example.org", is_admin=True)
        make.member(project, "viewer", name="Bo", email="bo@example.org")

    every = run_command("user", "list").output
    found = run_command("user", "list", "--search", "BO@")

    assert "ada@example.org: Ada, last sign-in never, administrator\n" in every
    assert found.output == "bo@example.org: Bo, last sign-in never, viewer of help-centre\n"


def test_an_account_is_disabled_and_enabled_again(run_command, making, client_of):
    with making() as make:
        ada = make.person("Ada", email="ada@example.org")
    client = client_of(ada)
    assert client.get("/api/v1/session").status_code == 200

    disabled = run_command("user", "disable", "ADA@example.org")
    assert "user enable" in disabled.output
    assert client.get("/api/v1/session").status_code == 401
    assert run_command("user", "disable", "ada@example.org").exit_code == 1
    assert run_command("user", "enable", "ada@example.org").exit_code == 0
    assert (
        run_command("user", "enable", "ada@example.org").output
        == "Error: The account of Ada is not disabled.\n"
    )


def test_the_last_administrator_stays_enabled(run_command, making):
    with making() as make:
        make.person("Ada", email="ada@example.org", is_admin=True)

    assert "only administrator" in run_command("user", "disable", "ada@example.org").output


def test_a_password_is_confirmed_by_command_and_that_is_recorded(run_command, making, stored):
    from app.models import AuditEntry, UnconfirmedPassword

    with making() as make:
        ada = make.person("Ada", email="ada@example.org")
        make._added(UnconfirmedPassword(person_id=ada.id))

    assert "count as blind" in run_command("user", "confirm", "ada@example.org").output
    assert run_command("user", "confirm", "ada@example.org").exit_code == 1
    with stored.read() as session:
        entry = session.scalars(select(AuditEntry)).one()
    assert (entry.kind, entry.details, entry.network) == (
        "password_confirmed",
        {"by": "command"},
        "command line",
    )


def test_where_passwords_are_off_no_link_is_made(run_command, app, making):
    from dataclasses import replace

    from config import SignInSettings

    with making() as make:
        make.person("Ada", email="ada@example.org")
    off = SignInSettings(passwords=False, issuer="https://login.example.org")
    app.extensions["settings"] = replace(app.extensions["settings"], sign_in=off)

    assert run_command("user", "reset", "ada@example.org").exit_code == 1
    made = run_command("user", "create", "bo@example.org", "--name", "Bo")
    assert made.output == "Account created. They sign in through your organisation.\n"
