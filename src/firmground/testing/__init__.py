"""A double and a conformance suite for each port.

========================  ======================  =========================
port                      double                  conformance suite
========================  ======================  =========================
``Model``                 ``FunctionModel``       ``check_model``
``Judge``                 ``FunctionJudge``       ``check_judge``
``Retriever``             ``FixedRetriever``      ``check_retriever``
``Hook``                  ``FunctionHook``        ``check_hook``
``Rule``                  ``FixedRule``           ``check_rule``
``EvidenceReader``        ``PrefixReader``        ``check_evidence_reader``
``Signer``                ``HashSigner``          ``check_signer``
``LedgerStore``           ``store_in``            ``check_ledger_store``
========================  ======================  =========================
"""

from __future__ import annotations

from firmground.testing.conformance import (
    check_evidence_reader,
    check_hook,
    check_judge,
    check_model,
    check_retriever,
    check_rule,
    check_signer,
)
from firmground.testing.doubles import (
    FixedRetriever,
    FixedRule,
    FunctionHook,
    FunctionJudge,
    FunctionModel,
    HashSigner,
    PrefixReader,
    store_in,
)
from firmground.testing.store_conformance import check_ledger_store

__all__ = [
    "FixedRetriever",
    "FixedRule",
    "FunctionHook",
    "FunctionJudge",
    "FunctionModel",
    "HashSigner",
    "PrefixReader",
    "check_evidence_reader",
    "check_hook",
    "check_judge",
    "check_ledger_store",
    "check_model",
    "check_retriever",
    "check_rule",
    "check_signer",
    "store_in",
]
