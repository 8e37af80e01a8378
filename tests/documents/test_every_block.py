"""Every block of code of `Graph Rewriting` and `How to Make Ops` has a test that runs it."""

from importlib import import_module

from tests.documents.blocks import BLOCKS, OPS, REWRITING

PAGES = (
    "graph_rewriting",
    "graph_rewriting_relations",
    "optimization_database",
    "profiling_report",
    "making_ops",
)


def test_every_block_has_a_test() -> None:
    """So many blocks have the documents, counted by reading them.

    `How to Make Ops` has one more, ``MyOp(<allow C>)``: an idea about C code, of which there is
    none here.
    """
    for page in PAGES:
        import_module(f"tests.documents.test_{page}")
    assert {document: len(blocks) for document, blocks in BLOCKS.items()} == {
        REWRITING: 30,
        OPS: 20,
    }
