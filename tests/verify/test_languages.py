"""The judge reads English: what is in another language stands only when it is quoted."""

from __future__ import annotations

import pytest
from tests.verify.believing import judged_one

from firmground.core.claim import Standing
from firmground.verify.languages import language_of_text

# Language, evidence, a statement that says something else with the same words.
SWAPPED = [
    ("zh", "天空是蓝色的。", "天空是红色的。"),
    ("ja", "空は青いです。", "空は赤いです。"),
    ("ko", "하늘은 파란색입니다.", "하늘은 빨간색입니다."),
    ("ru", "Небо голубое днём.", "Небо красное днём."),
    ("ar", "السماء زرقاء في النهار.", "السماء حمراء في النهار."),
    ("hi", "आसमान नीला है।", "आसमान लाल है।"),
    ("el", "Ο ουρανός είναι γαλάζιος.", "Ο ουρανός είναι κόκκινος."),
    ("he", "השמיים כחולים ביום.", "השמיים אדומים ביום."),
    ("th", "ท้องฟ้าเป็นสีฟ้า", "ท้องฟ้าเป็นสีแดง"),
    ("uk", "Небо вдень блакитне.", "Небо вдень червоне."),
    ("bn", "আকাশ নীল।", "আকাশ লাল।"),
    ("de", "Der Himmel ist am Tag blau.", "Der Himmel ist am Tag rot."),
    ("fr", "Le ciel est bleu pendant le jour.", "Le ciel est rouge pendant le jour."),
    ("es", "El cielo es azul durante el día.", "El cielo es rojo durante el día."),
    ("pt", "O céu é azul durante o dia.", "O céu é vermelho durante o dia."),
    ("it", "Il cielo è blu durante il giorno.", "Il cielo è rosso durante il giorno."),
    (
        "nl",
        "De lucht is overdag blauw en het water niet.",
        "De lucht is overdag rood en het water niet.",
    ),
    (
        "sv",
        "Himlen är blå på dagen och röd på kvällen.",
        "Himlen är röd på dagen och blå på kvällen.",
    ),
    (
        "pl",
        "Niebo w dzień jest niebieskie, a nie czerwone.",
        "Niebo w dzień jest czerwone, a nie niebieskie.",
    ),
    ("tr", "Gökyüzü gündüz mavidir.", "Gökyüzü gündüz kırmızıdır."),
]
IDS = [language for language, *_ in SWAPPED]


@pytest.mark.parametrize(("language", "source", "claim"), SWAPPED, ids=IDS)
def test_another_language_is_inconclusive_unless_it_is_quoted(
    language: str, source: str, claim: str
) -> None:
    one = judged_one(claim, source)
    assert one.standing is Standing.UNVERIFIABLE, language
    assert one.code == "language_not_read"
    assert "English" in one.reason


@pytest.mark.parametrize(("language", "source", "claim"), SWAPPED, ids=IDS)
def test_a_sentence_quoted_word_for_word_stands_in_every_language(
    language: str, source: str, claim: str
) -> None:
    one = judged_one(source, f"{source}\n{claim}")
    assert one.standing is Standing.GROUNDED, language
    assert one.code == "quoted"


@pytest.mark.parametrize(("language", "source", "claim"), SWAPPED, ids=IDS)
def test_an_english_statement_about_foreign_evidence_is_inconclusive(
    language: str, source: str, claim: str
) -> None:
    one = judged_one("The sky is blue during the day.", source)
    assert (one.standing, one.code) == (Standing.UNVERIFIABLE, "language_differs")


@pytest.mark.parametrize(("language", "source", "claim"), SWAPPED, ids=IDS)
def test_a_foreign_statement_about_english_evidence_is_inconclusive(
    language: str, source: str, claim: str
) -> None:
    one = judged_one(source, "The sky is blue during the day, and it is red in the evening.")
    assert (one.standing, one.code) == (Standing.UNVERIFIABLE, "language_differs")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("天空是红色的。", "有人说天空是红色的。"),
        ("天空是红色的。", "天空是红色的吗？不是。"),
        ("Der Himmel ist rot.", "Es ist ein Mythos, dass der Himmel ist rot."),
        ("Der Himmel ist rot.", "Der Himmel ist rot?"),
        ("Le ciel est rouge.", "Selon une rumeur, le ciel est rouge."),
    ],
)
def test_words_inside_a_longer_sentence_are_no_quotation(claim: str, source: str) -> None:
    assert not judged_one(claim, source).standing.stands


@pytest.mark.parametrize(
    ("claim", "source", "code"),
    [
        ("Die Brücke ist 504 Meter lang.", "Die Brücke ist 503 Meter lang.", "number_differs"),
        ("Le pont mesure 504 mètres de long.", "Le pont mesure 503 mètres de long.", "number_differs"),
        ("El puente mide 504 metros de largo.", "El puente mide 503 metros de largo.", "number_differs"),
        ("A ponte tem 504 metros de comprimento.", "A ponte tem 503 metros de comprimento.", "number_differs"),
        ("Il ponte è lungo 504 metri.", "Il ponte è lungo 503 metri.", "number_differs"),
        ("Die Karte gilt im Ausland.", "Die Karte gilt nicht im Ausland.", "negation_dropped"),
        ("La carte est valable à l'étranger.", "La carte n'est pas valable à l'étranger.", "negation_dropped"),
        ("La tarjeta es válida en el extranjero.", "La tarjeta no es válida en el extranjero.", "negation_dropped"),
        ("O cartão é válido no exterior.", "O cartão não é válido no exterior.", "negation_dropped"),
        ("La carta è valida all'estero.", "La carta non è valida all'estero.", "negation_dropped"),
        ("Die Karte gilt nicht im Ausland.", "Die Karte gilt im Ausland.", "negation_added"),
    ],
)  # fmt: skip
def test_a_number_or_negation_that_differs_contradicts(claim: str, source: str, code: str) -> None:
    one = judged_one(claim, source)
    assert (one.standing, one.code) == (Standing.CONTRADICTED, code)
    assert one.evidence


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Die Brücke ist 503 Meter lang.", "Die neue Brücke ist etwa 503 Meter lang."),
        (
            "Le pont mesure 503 mètres de long.",
            "Le pont mesure 503 mètres de long et 30 mètres de large.",
        ),
        ("El puente mide 503 metros.", "El puente mide 503 metros de largo."),
        ("A ponte tem 503 metros de comprimento.", "A ponte nova tem 503 metros de comprimento."),
        ("Il ponte è lungo 503 metri.", "Il ponte è lungo 503 metri e largo 30."),
    ],
)
def test_nearly_word_for_word_is_enough_in_five_languages(claim: str, source: str) -> None:
    assert judged_one(claim, source).standing is Standing.GROUNDED


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The sky is blue.", "en"),
        ("Los Angeles is in California.", "en"),
        ("Café Müller in São Paulo is open on Sundays.", "en"),
        ("The angle α is 30° and β is 60°.", "en"),
        ("Angela Merkel, 2005", ""),
        ("max_retries=5", ""),
        ("Der Himmel ist rot.", "de"),
        ("Le ciel est rouge.", "fr"),
        ("El cielo es rojo.", "es"),
        ("O céu é vermelho.", "pt"),
        ("Il cielo è rosso.", "it"),
        ("天空是红色的", "other"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of_text(text) == language


def test_english_statements_with_foreign_names_are_judged_as_before() -> None:
    source = "Los Angeles hosted the games in 1984. Café Müller opened in 1978."
    assert judged_one("Los Angeles hosted the games in 1984.", source).standing.stands
    assert judged_one("Café Müller opened in 1978.", source).standing.stands
    assert not judged_one("Café Müller opened in 1979.", source).standing.stands
