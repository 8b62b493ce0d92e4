"""`flask token`: made, listed and revoked; the token stands alone on the last line."""

from sqlalchemy import select

from app.models import ApiToken
from app.services.accounts.secrets import token_hash
from app.services.accounts.tokens import is_api_token
from tests.furniture.site import SECRET_KEY


def test_a_token_is_printed_alone_on_the_last_line_and_only_then(run_command, making, stored):
    with making() as make:
        make.project(slug="mill")

    made = run_command("token", "create", "--project", "mill", "--scope", "scores", "--scope", "runs")
    listed = run_command("token", "list")

    text = made.output.splitlines()[-1]
    assert made.exit_code == 0
    assert is_api_token(text, SECRET_KEY)
    with stored.read() as session:
        row = session.scalars(select(ApiToken)).one()
        assert (row.token_hash, row.scopes, row.person_id) == (token_hash(text), "scores runs", None)
    assert text not in listed.output
    assert "mill" in listed.output
    assert text[-4:] in listed.output


def test_a_token_is_revoked_by_its_number(run_command):
    run_command("token", "create", "--scope", "scores", "--name", "Report")

    first, again, unknown = (run_command("token", "revoke", number) for number in (1, 1, 99))

    assert (first.exit_code, first.output) == (0, "Token 1 (Report) is revoked.\n")
    assert (again.exit_code, unknown.exit_code) == (1, 1)
    assert "revoked already" in again.output
    assert "revoked" in run_command("token", "list").output


def test_what_a_token_cannot_be_made_for_is_one_line(run_command):
    nowhere = run_command("token", "create", "--project", "nowhere", "--scope", "scores")
    nobody = run_command("token", "create", "--person", "eve@example.org", "--scope", "scores")
    nothing = run_command("token", "create", "--scope", "everything")

    assert (nowhere.exit_code, nobody.exit_code, nothing.exit_code) == (1, 1, 2)
    assert "no project 'nowhere'" in nowhere.output
    assert "no account for eve@example.org" in nobody.output
    assert "'scores', 'runs', 'content', 'judgments', 'manage'" in nothing.output
    assert run_command("token", "list").output.startswith("There are no tokens yet")
