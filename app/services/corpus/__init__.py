"""The corpus of a project: its queries and its documents, in and out of use."""

from app.services.corpus.comparing import DocumentDigests, read_document_digests
from app.services.corpus.documents import DocumentImport, import_documents, prepare_documents
from app.services.corpus.editing import EarlierWording, earlier_wordings, edit_query, ratings_given
from app.services.corpus.pasted import pasted_file
from app.services.corpus.queries import QueryPlan, QueryRows, import_queries, plan_queries, read_query_rows
from app.services.corpus.result import CorpusImported
from app.services.corpus.retiring import restore_queries, retire_queries

__all__ = [
    "CorpusImported",
    "DocumentDigests",
    "DocumentImport",
    "EarlierWording",
    "QueryPlan",
    "QueryRows",
    "earlier_wordings",
    "edit_query",
    "import_documents",
    "import_queries",
    "pasted_file",
    "plan_queries",
    "prepare_documents",
    "ratings_given",
    "read_document_digests",
    "read_query_rows",
    "restore_queries",
    "retire_queries",
]
