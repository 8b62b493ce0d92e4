"""Files that came through the browser: checked, imported, and swept away when nobody wants them."""

from app.jobs.uploads.checking import check_upload
from app.jobs.uploads.importing import import_upload
from app.jobs.uploads.tidying import resume_uploads, tidy_uploads

__all__ = ["check_upload", "import_upload", "resume_uploads", "tidy_uploads"]
