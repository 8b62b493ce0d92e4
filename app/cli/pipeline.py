"""`flask pipeline`: a step that puts each new run before the gate, and says the answer where people look."""

from __future__ import annotations

import click

from app.cli.session import current_settings

GATE = "python client.py gate {run} --address {address} --project {slug} --ranker {ranker} --format markdown"
GITHUB = """\
# A step for .github/workflows/*.yml. Keep the token as the secret TOUCHSTONE_TOKEN:
#   flask --app app token create --project {slug} --scope runs
- name: May the new version of {ranker} replace the one in production?
  env:
    TOUCHSTONE_TOKEN: ${{{{ secrets.TOUCHSTONE_TOKEN }}}}
  run: |
    curl --fail --silent --show-error --output client.py {address}/api/client.py
    set +e
    {gate} > gate.md
    status=$?
    cat gate.md >> "$GITHUB_STEP_SUMMARY"
    # 0 passed, 1 failed, 3 cannot tell, 2 an error. To let 3 pass: [ $status = 3 ] && exit 0
    exit $status
"""
GITLAB = """\
# A job for .gitlab-ci.yml. Keep the token as the masked variable TOUCHSTONE_TOKEN:
#   flask --app app token create --project {slug} --scope runs
# To comment on merge requests, also keep a token of GitLab with the scope api as GITLAB_TOKEN.
touchstone gate:
  image: python:3-slim
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - python -c "import urllib.request as r; r.urlretrieve('{address}/api/client.py', 'client.py')"
    - status=0; {gate} > gate.md || status=$?
    - cat gate.md
    - |
      [ -z "$GITLAB_TOKEN" ] || python - <<'END'
      import os, urllib.parse, urllib.request
      e = os.environ
      notes = "{{CI_API_V4_URL}}/projects/{{CI_PROJECT_ID}}/merge_requests/{{CI_MERGE_REQUEST_IID}}/notes"
      body = urllib.parse.urlencode({{"body": open("gate.md").read()}}).encode()
      headers = {{"PRIVATE-TOKEN": e["GITLAB_TOKEN"]}}
      urllib.request.urlopen(urllib.request.Request(notes.format(**e), body, headers))
      END
    # 0 passed, 1 failed, 3 cannot tell, 2 an error.
    - exit $status
  allow_failure:
    exit_codes: 3
  artifacts:
    when: always
    paths: [gate.md]
"""
STEPS = {"github": GITHUB, "gitlab": GITLAB}


@click.command()
@click.argument("system", type=click.Choice(list(STEPS)))
@click.argument("slug")
@click.option("--ranker", required=True, metavar="NAME", help="The ranker whose new versions are checked.")
@click.option(
    "--run", default="new.run", show_default=True, metavar="FILE", help="Where the pipeline leaves the run."
)
def pipeline(system: str, slug: str, ranker: str, run: str) -> None:
    """Print a step for GitHub Actions or a job for GitLab CI that tests each new run of SLUG (see `gate`).

    The answer and a table of both versions become a job summary or a comment. The step needs Python and a
    token, and no installation of Touchstone.

    Example: flask --app app pipeline github kettle-lane --ranker Blend
    """
    import shlex

    address = current_settings().address
    quoted = {"run": run, "slug": slug, "ranker": ranker, "address": address}
    gate = GATE.format(**{name: shlex.quote(value) for name, value in quoted.items()})
    click.echo(STEPS[system].format(**quoted, gate=gate), nl=False)
