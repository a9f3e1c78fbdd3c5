"""Make the two tiny graphs that the tests of model judges run: `python tests/judges/make_models.py`.

They hold no trained weights, yet behave: a claim is entailed when its words stand in the evidence,
contradicted when one of the two says "not" (token 2025 of the shipped tokenizer) and the other
does not; a token is supported when it stands in the evidence. Needs the package onnx.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

NOT = 2025
FOLDER = Path(__file__).parent / "models"


def main() -> None:
    """Write both graphs."""
    import onnx

    FOLDER.mkdir(exist_ok=True)
    for name, outputs in (("nli", _nli), ("tokens", _tokens)):
        nodes = _common() + outputs()
        graph = _graph(name, nodes)
        onnx.checker.check_model(graph)
        onnx.save(graph, FOLDER / f"{name}.onnx")


def _node(kind: str, inputs: str, output: str, **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(kind, inputs.split(), [output], **attributes)


def _common() -> list[Any]:
    """Give `claim` and `evidence` masks, and for each token whether the evidence holds it."""
    from onnx import TensorProto

    return [
        _node("Cast", "token_type_ids", "claim", to=TensorProto.FLOAT),
        _node("Sub", "one claim", "evidence"),
        _node("Unsqueeze", "input_ids last", "down"),
        _node("Unsqueeze", "input_ids middle", "across"),
        _node("Equal", "down across", "equal"),
        _node("Cast", "equal", "same", to=TensorProto.FLOAT),
        _node("Unsqueeze", "evidence middle", "wide"),
        _node("Mul", "same wide", "there"),
        _node("ReduceMax", "there", "found", axes=[2], keepdims=0),
    ]


def _nli() -> list[Any]:
    from onnx import TensorProto

    return [
        _node("Mul", "found claim", "held"),
        _node("ReduceSum", "held middle", "held_sum", keepdims=1),
        _node("ReduceSum", "claim middle", "claim_sum", keepdims=1),
        _node("Div", "held_sum claim_sum", "share"),
        _node("Equal", "input_ids not_id", "is_not"),
        _node("Cast", "is_not", "nots", to=TensorProto.FLOAT),
        _node("Mul", "nots claim", "claim_nots"),
        _node("Mul", "nots evidence", "evidence_nots"),
        _node("ReduceMax", "claim_nots", "claim_not", axes=[1], keepdims=1),
        _node("ReduceMax", "evidence_nots", "evidence_not", axes=[1], keepdims=1),
        _node("Sub", "claim_not evidence_not", "differ"),
        _node("Abs", "differ", "against"),
        _node("Mul", "against twenty", "against20"),
        _node("Sub", "against20 ten", "contradiction"),
        _node("Sub", "share most", "above"),
        _node("Mul", "above twenty", "above20"),
        _node("Sub", "above20 against20", "entailment"),
        _node("Sub", "share share", "neutral"),
        _node("Concat", "contradiction entailment neutral", "logits", axis=1),
    ]


def _tokens() -> list[Any]:
    return [
        _node("Sub", "one found", "absent"),
        _node("Mul", "absent claim", "bad"),
        _node("Mul", "bad ten", "raised"),
        _node("Sub", "raised four", "hallucinated"),
        _node("Sub", "four raised", "supported"),
        _node("Unsqueeze", "supported last", "left"),
        _node("Unsqueeze", "hallucinated last", "right"),
        _node("Concat", "left right", "logits", axis=2),
    ]


def _graph(name: str, nodes: list[Any]) -> Any:
    from onnx import TensorProto, helper

    whole = TensorProto.INT64
    inputs = [
        helper.make_tensor_value_info(one, whole, [1, "length"])
        for one in ("input_ids", "token_type_ids")
    ]
    shape = [1, 3] if name == "nli" else [1, "length", 2]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)
    figures = {"one": 1.0, "four": 4.0, "ten": 10.0, "twenty": 20.0, "most": 0.85}
    known = [helper.make_tensor(n, TensorProto.FLOAT, [1], [v]) for n, v in figures.items()]
    known += [
        helper.make_tensor(n, whole, [1], [v])
        for n, v in (("middle", 1), ("last", 2), ("not_id", NOT))
    ]
    used = {one for node in nodes for one in node.input}
    graph = helper.make_graph(
        nodes, name, inputs, [output], initializer=[t for t in known if t.name in used]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    main()
