"""The result of one check, as callers see it."""

from __future__ import annotations

from dataclasses import fields

from firmground.pipeline.outcome import CheckOutcome


class Result(CheckOutcome):
    """What one check found: true exactly when the answer stands on its evidence.

    >>> import firmground
    >>> result = firmground.check(
    ...     "The Alder bridge opened in 1952.", "The Alder bridge opened in 1932.", judge="lexical"
    ... )
    >>> bool(result), str(result.verdict)
    (False, 'does_not_stand')
    >>> [(c.start, c.end, str(c.standing)) for c in result.problems]
    [(0, 32, 'contradicted')]
    """

    __slots__ = ()

    @classmethod
    def of(cls, outcome: CheckOutcome) -> Result:
        """Make a result of what the pipeline returned."""
        return cls(**{field.name: getattr(outcome, field.name) for field in fields(CheckOutcome)})

    def report(self) -> str:
        """Return a self-contained HTML page: the answer marked, the evidence beside it."""
        from firmground.adapters.report_html import report_html

        return report_html(self)

    def _repr_html_(self) -> str:
        """Display the report in a notebook, in a frame of its own."""
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self.report(), quote=True)}" '
            'style="width:100%;height:32em;border:0" sandbox="allow-scripts"></iframe>'
        )
