"""Honest claims beside what they honestly retell: no check may bring one of them down.

The scorer believes everything, so that whatever falls was brought down by a check.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from tests.conftest import GrowsStraight

from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.segment import sentences
from firmground.verify.judge import LexicalJudge
from firmground.verify.scorer import Query, Score


@dataclass(frozen=True)
class Believer:
    """A scorer that finds everything supported."""

    name: str = "believer"

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        return tuple(Score(scorer=self.name, support=1.0) for _ in queries)


def judged(answer: str, evidence: str) -> tuple[Assessment, ...]:
    asked = Inquiry(
        question=None,
        answer=answer,
        claims=prose_claims(answer),
        evidence=(Evidence(text=evidence),),
    )
    return LexicalJudge(scorers=(Believer(),)).examine(asked).assessments


ROW = json.dumps(
    [
        {"city": "Lyon", "population": 522250, "mayor": "Grégory Doucet"},
        {"city": "Nice", "population": 343477, "mayor": "Christian Estrosi"},
    ]
)
CSV = "product,price,stock\nLamp,19.90,14\nDesk,249.00,3\nChair,89.50,0\n"
MD = "| Plan | Price | Users |\n|---|---|---|\n| Basic | $10 | 5 |\n| Pro | $25 | 50 |\n"
HONEST = [
    (
        "The storm knocked out power for 40,000 homes.",
        "Some 40,000 homes lost electricity because of the storm.",
    ),
    ("The museum was built in 1887.", "Construction of the museum was completed in 1887."),
    ("Maria Lopez wrote the report.", "The report was written by Maria Lopez."),
    ("The report was written by Maria Lopez.", "Maria Lopez wrote the report."),
    ("The committee approved the budget.", "The budget was approved by the committee on Tuesday."),
    ("Google acquired YouTube in 2006.", "YouTube was acquired by Google in 2006."),
    ("In 2006, YouTube was bought by Google.", "Google acquired YouTube in 2006."),
    ("When the pump failed, the reactor shut down.", "The reactor shut down when the pump failed."),
    ("After the meeting, the board resigned.", "The board resigned after the meeting."),
    ("The board resigned after the meeting.", "Following the meeting, the board resigned."),
    (
        "She moved to Berlin in 1998 and opened a bakery.",
        "Petra Klein moved to Berlin in 1998. She opened a bakery there.",
    ),
    ("He founded the company.", "Tom Reed founded Acme in 1990."),
    ("The launch did not succeed.", "The launch failed."),
    ("The launch failed.", "The launch did not succeed."),
    ("The upgrade was unsuccessful.", "The upgrade did not succeed."),
    ("The patient did not survive.", "The patient died during surgery."),
    ("The server was unavailable for two hours.", "The server was not available for two hours."),
    ("The server was not available for two hours.", "The server was unavailable for two hours."),
    ("Smoking is not allowed in the building.", "Smoking is prohibited in the building."),
    ("Smoking is prohibited in the building.", "Smoking is not permitted in the building."),
    ("The motion was not approved.", "The motion was rejected."),
    ("The motion was rejected.", "The motion was not approved by the council."),
    ("The door was never locked.", "The door was left unlocked at all times."),
    ("Nobody was hurt in the fire.", "There were no injuries in the fire."),
    ("There were no injuries in the fire.", "Nobody was injured in the fire."),
    (
        "The company lacks a data protection officer.",
        "The company does not have a data protection officer.",
    ),
    (
        "The company does not have a data protection officer.",
        "The company has no data protection officer.",
    ),
    ("The drug is not safe for children.", "The drug is unsafe for children."),
    ("The file is not encrypted.", "The file is stored unencrypted."),
    ("The account remains open.", "The account was not closed."),
    ("The offer was declined.", "The company did not accept the offer."),
    ("The suspect denied the charges.", "The suspect did not admit to the charges."),
    ("The witness denied seeing the car.", "The witness said she had not seen the car."),
    ("It is not uncommon for servers to restart.", "It is common for servers to restart."),
    ("The treaty has not been ratified yet.", "The treaty has yet to be ratified."),
    ("The treaty has yet to be ratified.", "The treaty has not been ratified."),
    ("Without a permit, parking is forbidden.", "Parking is only allowed with a permit."),
    ("Parking is only allowed with a permit.", "Parking is not allowed without a permit."),
    ("You cannot enter without a badge.", "A badge is required to enter."),
    ("A badge is required to enter.", "You cannot enter without a badge."),
    ("Registration is optional.", "Registration is not required."),
    ("Registration is not mandatory.", "Registration is voluntary."),
    ("The bug no longer occurs.", "The bug was fixed and does not occur any more."),
    ("The shop does not open on Sundays.", "The shop is closed on Sundays."),
    ("The shop is closed on Sundays.", "The shop is open every day except Sunday."),
    ("Jupiter is larger than Saturn.", "Saturn is smaller than Jupiter."),
    ("Saturn is smaller than Jupiter.", "Jupiter is larger than Saturn."),
    ("Plan A costs more than plan B.", "Plan B costs less than plan A."),
    ("Anna is older than Ben.", "Ben is younger than Anna."),
    (
        "The new engine is faster than the old engine.",
        "The old engine is slower than the new engine.",
    ),
    ("Sales in May were higher than in April.", "Sales in April were lower than in May."),
    ("The dinner was before the concert.", "The concert was after the dinner."),
    ("The concert came after the dinner.", "The dinner came before the concert."),
    ("Spain beat Italy.", "Italy lost to Spain."),
    ("Italy lost to Spain in the final.", "Spain won against Italy in the final."),
    ("Acme sold the plant to Borg.", "Borg bought the plant from Acme."),
    ("Borg bought the plant from Acme.", "Acme sold the plant to Borg."),
    ("Canada lies north of the United States.", "The United States lies south of Canada."),
    ("The office is above the bakery.", "The bakery is below the office."),
    ("Group A scored worse than group B.", "Group B scored better than group A."),
    (
        "There are fewer cats than dogs in the shelter.",
        "There are more dogs than cats in the shelter.",
    ),
    ("Oxygen levels fell as altitude rose.", "As altitude increased, oxygen levels decreased."),
    ("Demand rose while supply fell.", "Supply fell while demand rose."),
    ("The race is 10 km long.", "The race is 10,000 metres long."),
    ("The race is 10 kilometers long.", "The course measures 10 km."),
    ("The bottle holds 1.5 litres.", "The bottle holds 1500 ml."),
    ("The flight takes 90 minutes.", "The flight takes an hour and a half."),
    ("The flight takes 1.5 hours.", "The flight takes 90 minutes."),
    ("The warranty lasts two years.", "The warranty lasts 24 months."),
    ("The project took 18 months.", "The project took a year and a half."),
    ("The trial lasted 2 weeks.", "The trial lasted 14 days."),
    ("The file is 2 GB.", "The file has a size of 2,000 MB."),
    ("The company earned $1.2 billion.", "The company earned $1,200 million."),
    ("The company earned 1.2bn dollars.", "The company earned US$1.2 billion."),
    ("The ticket costs 25 euros.", "The ticket costs €25."),
    ("The ticket costs EUR 25.", "The ticket costs 25 €."),
    ("The house sold for £450,000.", "The house sold for 450 thousand pounds."),
    ("The fine was 3 million yen.", "The fine was ¥3,000,000."),
    ("A quarter of the staff left.", "25% of the staff left."),
    ("Half of the users agreed.", "50 percent of the users agreed."),
    ("Two thirds of voters said yes.", "66.7% of voters said yes."),
    ("One in five patients recovered.", "20% of patients recovered."),
    ("A third of the land burned.", "33% of the land burned."),
    ("Three quarters of the budget was spent.", "75 % of the budget was spent."),
    ("The rate doubled.", "The rate rose from 4% to 8%."),
    ("Profits tripled to 30 million.", "Profits rose from 10 million to 30 million."),
    ("Unemployment fell by 2 percentage points to 5%.", "Unemployment fell from 7% to 5%."),
    ("About 1,000 people attended.", "987 people attended."),
    ("Nearly 500 people attended.", "487 people attended."),
    ("More than 300 flights were cancelled.", "312 flights were cancelled."),
    ("Dozens of people were injured.", "36 people were injured."),
    ("Twelve people were arrested.", "A dozen people were arrested."),
    ("Twenty-one species were found.", "21 species were found."),
    ("The population is around 5.4 million.", "The population is 5,391,369."),
    ("The table is 1.83 m long.", "The table is 183 cm long."),
    ("The temperature reached 30 °C.", "The temperature reached 30 degrees Celsius."),
    ("It weighs 2.5 kg.", "It weighs 2500 grams."),
    ("The car reaches 200 km/h.", "The car reaches 200 kilometres per hour."),
    ("The team won 3-1.", "The team won three to one."),
    ("The model has 7B parameters.", "The model has 7 billion parameters."),
    ("Visitors aged 18 to 25 pay half.", "Visitors between 18 and 25 years old pay half."),
    ("The range is 5 to 10 mg.", "The dose ranges from 5 mg to 10 mg."),
    ("The dose should be between 5 and 10 mg.", "The dose should be 5-10 mg."),
    ("The treaty was signed on 4 July 1976.", "The treaty was signed on July 4, 1976."),
    ("The treaty was signed on 1976-07-04.", "The treaty was signed on the 4th of July, 1976."),
    ("The release is due on 3 March 2025.", "The release is due on 03.03.2025."),
    ("The war ended in the 1990s.", "The war ended in 1995."),
    ("The war ended in the late twentieth century.", "The war ended in 1995."),
    ("The meeting starts at 3 pm.", "The meeting starts at 15:00."),
    ("The meeting starts at 15:00 UTC.", "The meeting starts at 3 p.m. GMT."),
    ("The meeting starts at 16:00 CET.", "The meeting starts at 15:00 UTC."),
    ("The call starts at noon.", "The call starts at 12:00."),
    ("The shop opens at half past eight.", "The shop opens at 8:30."),
    ("The shop is open Monday to Friday.", "The shop is open on weekdays."),
    ("The shop is open on weekends.", "The shop is open on Saturday and Sunday."),
    ("The outage lasted from 10:00 to 12:00.", "The outage began at 10:00 and ended at 12:00."),
    ("The outage lasted two hours.", "The outage began at 10:00 and ended at 12:00."),
    ("Backups run every day.", "Backups run daily."),
    ("Backups run once a week.", "Backups run weekly."),
    ("Interest is paid four times a year.", "Interest is paid quarterly."),
    ("Reports are due every three months.", "Reports are due quarterly."),
    ("Meetings are held twice a year.", "Meetings are held every six months."),
    ("It was released in spring 2020.", "It was released in April 2020."),
    ("Lyon has a population of 522,250.", ROW),
    ("Grégory Doucet is the mayor of Lyon.", ROW),
    ("Nice has about 343,000 inhabitants and its mayor is Christian Estrosi.", ROW),
    ("Lyon has more inhabitants than Nice.", ROW),
    ("The lamp costs 19.90.", CSV),
    ("There are 14 lamps in stock.", CSV),
    ("The chair is out of stock.", CSV),
    ("The desk is the most expensive product at 249.00.", CSV),
    ("The Pro plan costs $25.", MD),
    ("The Pro plan allows 50 users.", MD),
    ("The Basic plan is limited to 5 users.", MD),
    ("Pro costs more than Basic.", MD),
    ("WiFi is free.", json.dumps({"name": "Hotel", "WiFi": "free"})),
    ("Pets are not allowed.", json.dumps({"name": "Hotel", "pets_allowed": False})),
    ("The hotel has parking.", json.dumps({"name": "Hotel", "parking": True})),
    (
        "The hotel does not accept credit cards.",
        json.dumps({"name": "Hotel", "BusinessAcceptsCreditCards": "False"}),
    ),
    ("- **Speed**: 40 MB/s", "The drive has a speed of 40 MB/s."),
    (
        "The steps are: 1. unplug the device. 2. wait ten seconds. 3. plug it in.",
        "Unplug the device, wait 10 seconds, and plug it back in.",
    ),
    ("## Opening hours\n\nThe library opens at 9 am.", "The library opens at 9:00."),
    (
        "Use `git push --force` to overwrite the branch.",
        "To overwrite the branch, use `git push --force`.",
    ),
    ("Set `timeout` to 30 seconds.", "The `timeout` option should be set to 30 seconds."),
    ("The default port is `8080`.", "default port: 8080"),
    ("Run `pip install foo`.", "Install it with:\n\n```\npip install foo\n```\n"),
    ('The CEO said, "we will grow."', "“We will grow,” the CEO said."),
    ("The CEO said that the company would grow.", '"The company will grow," said the CEO.'),
    ("The three colors are red, green and blue.", "The colors are blue, red and green."),
    ("The drug may cause nausea.", "The drug might cause nausea."),
    ("The drug can cause nausea.", "Nausea is a possible side effect of the drug."),
    ("It is likely that rates will rise.", "Rates will probably rise."),
    ("The company plans to cut 200 jobs.", "The company intends to cut 200 jobs."),
    (
        "The company expects to open a plant in Ohio.",
        "The company is planning to open a plant in Ohio.",
    ),
    ("The man was accused of stealing a car.", "The man allegedly stole a car."),
    ("Police say the man stole a car.", "The man is accused of stealing a car."),
    ("Some users reported errors.", "Several users reported errors."),
    ("Most users were satisfied.", "A majority of users were satisfied."),
    ("Most users were satisfied.", "80% of users were satisfied."),
    ("All employees must wear badges.", "Every employee is required to wear a badge."),
    ("Employees must wear badges.", "Employees are required to wear badges."),
    ("You should back up your data.", "It is recommended that you back up your data."),
    ("Prices went up by 5%.", "Prices rose 5 percent."),
    ("Prices were cut by 5%.", "Prices fell by 5%."),
    (
        "Emissions dropped from 50 to 40 tonnes.",
        "Emissions were reduced from 50 tonnes to 40 tonnes.",
    ),
    ("Emissions fell to 40 tonnes, down from 50.", "Emissions fell from 50 to 40 tonnes."),
    ("The drop in sales slowed.", "Sales fell more slowly."),
    ("The vote was won by the opposition.", "The opposition won the vote."),
    ("The government lost the vote.", "The opposition won the vote against the government."),
    ("The U.S. imposed tariffs.", "The United States imposed tariffs."),
    ("The UN sent observers.", "The United Nations sent observers."),
    ("JFK was shot in Dallas.", "John F. Kennedy was shot in Dallas."),
    ("Dr. Chen leads the lab.", "The lab is led by Wei Chen."),
    ("The chief executive of Acme is Jane Doe.", "Jane Doe is the CEO of Acme."),
    ("Jane Doe, Acme's CEO, resigned.", "Acme chief executive officer Jane Doe resigned."),
    (
        "Microsoft's headquarters are in Redmond, Washington.",
        "Microsoft is headquartered in Redmond, WA.",
    ),
    ("The second edition appeared in 2010.", "In 2010 the 2nd edition appeared."),
    ("World War II ended in 1945.", "The Second World War ended in 1945."),
    ("Chapter 4 covers tests.", "Chapter four covers tests."),
    ("Version 2.1 fixes the bug.", "The bug is fixed in v2.1."),
    ("Elizabeth II reigned for 70 years.", "Queen Elizabeth the Second reigned for 70 years."),
    ("Der Umsatz stieg auf 1,2 Milliarden Euro.", "Der Umsatz ist auf 1,2 Mrd. € gestiegen."),
    ("Rauchen ist nicht gestattet.", "Rauchen ist verboten."),
    ("Das Museum wurde 1887 gebaut.", "Das Museum ist im Jahr 1887 erbaut worden."),
    ("Die Sitzung beginnt um 15 Uhr.", "Die Sitzung beginnt um 15:00 Uhr."),
    ("Etwa ein Viertel der Befragten stimmte zu.", "25 % der Befragten stimmten zu."),
    (
        "Der Vertrag wurde am 3. März 2020 unterzeichnet.",
        "Am 03.03.2020 wurde der Vertrag unterzeichnet.",
    ),
    ("München ist kleiner als Berlin.", "Berlin ist größer als München."),
    ("Le musée a été construit en 1887.", "Le musée fut bâti en 1887."),
    ("Il n'est pas permis de fumer.", "Il est interdit de fumer."),
    (
        "Le chiffre d'affaires a atteint 1,5 million d'euros.",
        "Le chiffre d'affaires est de 1 500 000 €.",
    ),
    ("La réunion commence à 15 h.", "La réunion commence à 15h00."),
    ("El museo fue construido en 1887.", "El museo se construyó en 1887."),
    ("No está permitido fumar.", "Está prohibido fumar."),
    ("La población es de 3,2 millones.", "La población es de 3.200.000 habitantes."),
    ("東京は日本の首都です。", "日本の首都は東京である。"),
    ("人口は約1400万人です。", "東京の人口は約1,400万人である。"),
    ("القاهرة هي عاصمة مصر.", "عاصمة مصر هي القاهرة."),
    ("بلغ عدد السكان 10 ملايين.", "عدد السكان ١٠ ملايين نسمة."),
    ("The points are then recorded.", "No points are recorded on the scratch paper."),
    (
        "If no dice appear, the player loses all points of the turn.",
        "At this point the player loses all the points of the turn, and dice appear.",
    ),
    (
        "The hashtag BringBackOurGirls was trending on Twitter.",
        "On Twitter, a hashtag was still trending: BringBackOurGirls.",
    ),
    (
        'One guest called it "the best burger [they\'ve] had in a long time."',
        "This is the best burger I've had in a long time.",
    ),
    (
        "The house was built in the mid-20th century.",
        "The house was built in the middle of the 20th century.",
    ),
    (
        "Preheat the oven to 400 degrees Fahrenheit.",
        "Heat the Brussels sprouts in the oven at 400 degrees F.",
    ),
    (
        "The mint can be kept for seven to 10 days.",
        "Keep the mint no longer than seven to 10 days.",
    ),
]
HOTEL = json.dumps(
    {
        "name": "Hotel Sol",
        "WiFi": "free",
        "pets_allowed": False,
        "rooms": 42,
        "phone": None,
        "checkout": "11:00",
    }
)
FALSE = [
    ("numbers", "The storm cut power to 14,000 homes.", "The storm cut power to 40,000 homes."),
    ("numbers", "The company earned $1.2 million.", "The company earned $1.2 billion."),
    ("numbers", "The bottle holds 15 litres.", "The bottle holds 1.5 litres."),
    ("numbers", "The fine was 25 dollars.", "The fine was 25 euros."),
    ("numbers", "Nine people were arrested.", "A dozen people were arrested."),
    ("numbers", "The pipe is 12 cm wide.", "The pipe is 12 mm wide."),
    ("numbers", "More than 500 flights were cancelled.", "312 flights were cancelled."),
    ("numbers", "At least 20 people died.", "At least 12 people died."),
    ("numbers", "The rate rose from 4% to 9%.", "The rate rose from 4% to 8%."),
    ("numbers", "Sales rose by 5 percentage points.", "Sales rose by 15 percentage points."),
    ("numbers", "The dose is 50 mg.", "The dose is 5 mg to 10 mg."),
    ("numbers", "The model has 70 billion parameters.", "The model has 7B parameters."),
    ("numbers", "The team won 3-1.", "The team won 3-2."),
    ("dates", "The treaty was signed on 14 July 1976.", "The treaty was signed on July 4, 1976."),
    ("dates", "The treaty was signed in June 1976.", "The treaty was signed on July 4, 1976."),
    ("dates", "The museum opened in 1878.", "The museum opened in 1887."),
    ("dates", "The meeting starts at 5 pm.", "The meeting starts at 15:00."),
    ("dates", "The outage lasted three hours.", "The outage lasted 30 minutes."),
    ("dates", "The warranty lasts two years.", "The warranty lasts 12 months."),
    ("dates", "The shop is open until 8 pm.", "The shop is open until 6 pm."),
    ("dates", "The trial ran from March to May.", "The trial ran from March to July."),
    ("dates", "Reports are due monthly.", "Reports are due quarterly."),
    ("dates", "Backups run every week.", "Backups run daily."),
    ("dates", "The war ended in the 1980s.", "The war ended in 1995."),
    ("dates", "The match is on Thursday.", "The match is on Tuesday."),
    ("negation", "The launch succeeded.", "The launch did not succeed."),
    ("negation", "The launch did not fail.", "The launch failed."),
    ("negation", "Smoking is allowed in the building.", "Smoking is not allowed in the building."),
    ("negation", "The drug is safe for children.", "The drug is not safe for children."),
    ("negation", "The treaty has been ratified.", "The treaty has not been ratified."),
    (
        "negation",
        "The company has a data protection officer.",
        "The company has no data protection officer.",
    ),
    ("negation", "The suspect never met the victim.", "The suspect met the victim twice."),
    ("negation", "The file is encrypted.", "The file is not encrypted."),
    ("negation", "There was no leak in the tank.", "There was a leak in the tank."),
    ("negation", "You can enter without a badge.", "You cannot enter without a badge."),
    ("negation", "The patch does not fix the bug.", "The patch fixes the bug."),
    ("negation", "Rauchen ist gestattet.", "Rauchen ist nicht gestattet."),
    ("negation", "Il est permis de fumer.", "Il n'est pas permis de fumer."),
    ("negation", "Nobody was hurt in the fire.", "Two people were hurt in the fire."),
    (
        "negation",
        "The motion was approved by the council.",
        "The council did not approve the motion.",
    ),
    ("modality", "The company will open a plant in Ohio.", "The company may open a plant in Ohio."),
    ("modality", "The drug causes nausea.", "The drug may cause nausea."),
    (
        "modality",
        "The config push caused the outage.",
        "The outage began ten minutes after the config push.",
    ),
    ("modality", "Employees may wear badges.", "Employees must wear badges."),
    ("modality", "You must back up your data.", "It is recommended to back up your data."),
    ("modality", "The bank has raised rates.", "The bank is considering raising rates."),
    ("modality", "The merger was approved.", "The merger is expected to be approved."),
    ("modality", "The vaccine will be ready in May.", "The vaccine could be ready in May."),
    ("modality", "The leak caused the fire.", "The leak was found after the fire."),
    ("names", "Maria Lopez wrote the report.", "The report was written by Anna Schmidt."),
    ("names", "The capital of Australia is Sydney.", "The capital of Australia is Canberra."),
    ("names", "Version 2.2 fixes the bug.", "The bug is fixed in v2.1."),
    ("names", "The host is db-02.example.org.", "The host is db-01.example.org."),
    ("names", "The error code is E1043.", "The error code is E1034."),
    ("names", "Acme bought Borg.", "Borg bought Acme."),
    ("names", "Spain lost to Italy in the final.", "Spain beat Italy in the final."),
    ("names", "CVE-2024-3095 affects xz.", "CVE-2024-3094 affects xz."),
    ("names", "The CFO resigned.", "The CEO resigned."),
    ("names", "The second edition appeared in 2010.", "The third edition appeared in 2010."),
    ("names", "Use `git push`.", "Use `git pull`."),
    ("names", "Set `max_retries` to 5.", "Set `max_redirects` to 5."),
    ("comparatives", "Saturn is larger than Jupiter.", "Jupiter is larger than Saturn."),
    ("comparatives", "Saturn is larger than Jupiter.", "Saturn is smaller than Jupiter."),
    ("comparatives", "Plan B costs more than plan A.", "Plan A costs more than plan B."),
    (
        "comparatives",
        "Sales in April were higher than in May.",
        "Sales in May were higher than in April.",
    ),
    (
        "comparatives",
        "Lake Victoria is the largest lake in Africa.",
        "Lake Victoria is a large lake in Africa.",
    ),
    ("comparatives", "All users were satisfied.", "Most users were satisfied."),
    ("comparatives", "Every server failed.", "Some servers failed."),
    ("comparatives", "Prices fell by 5%.", "Prices rose by 5%."),
    (
        "comparatives",
        "Emissions rose from 40 to 50 tonnes.",
        "Emissions fell from 50 to 40 tonnes.",
    ),
    ("comparatives", "Ben is older than Anna.", "Anna is older than Ben."),
    ("comparatives", "The concert was before the dinner.", "The concert was after the dinner."),
    ("comparatives", "The dinner came after the concert.", "The dinner came before the concert."),
    (
        "comparatives",
        "The old engine is faster than the new engine.",
        "The new engine is faster than the old engine.",
    ),
    (
        "comparatives",
        "It is the second largest lake in Africa.",
        "It is the third largest lake in Africa.",
    ),
    ("comparatives", "Berlin ist kleiner als München.", "Berlin ist größer als München."),
    ("comparatives", "Italy beat Spain.", "Spain beat Italy."),
    ("quotes", 'The CEO said, "we will shrink."', '"We will grow," said the CEO.'),
    (
        "quotes",
        'The report calls it "a total disaster".',
        'The report calls it "a partial success".',
    ),
    ("quotes", 'She said: "I never took the money."', 'She said: "I took the money."'),
    ("records", "Lyon has a population of 343,477.", ROW),
    ("records", "The mayor of Lyon is Christian Estrosi.", ROW),
    ("records", "The desk costs 89.50.", CSV),
    ("records", "The Pro plan costs $10.", MD),
    ("records", "The Basic plan allows 50 users.", MD),
    ("records", "Hotel Sol allows pets.", HOTEL),
    ("records", "The hotel has 24 rooms.", HOTEL),
    ("records", "The phone number of the hotel is 555-1234.", HOTEL),
    ("records", "Checkout is at 12:00.", HOTEL),
    ("records", "WiFi costs 5 euros.", HOTEL),
    ("records", "The Basic plan is the most expensive plan.", MD),
    (
        "scope",
        "Anna Miller was born in 1970.",
        "Anna Miller married Tom Baker. Tom Baker was born in 1970.",
    ),
    (
        "scope",
        "Paris has 67 million inhabitants.",
        "Paris is the capital of France. France has 67 million inhabitants.",
    ),
    ("scope", "Backups are encrypted.", "Backups are stored in Ohio. Laptops are encrypted."),
    ("scope", "Ohio produced 300 tonnes.", "Ohio opened a plant. Texas produced 300 tonnes."),
    (
        "invented",
        "The bridge was designed by Norman Foster.",
        "The bridge was opened in 2001 and is 300 metres long.",
    ),
    (
        "invented",
        "The bridge cost $40 million.",
        "The bridge was opened in 2001 and is 300 metres long.",
    ),
    ("invented", "The bridge is the longest in Europe.", "The bridge is 300 metres long."),
    (
        "invented",
        "The incident was caused by a DNS failure.",
        "The incident began at 10:00 and ended at 12:00.",
    ),
]


@pytest.mark.parametrize(("claim", "source"), HONEST, ids=[c for c, _ in HONEST])
def test_what_honestly_retells_its_source_is_not_brought_down(claim: str, source: str) -> None:
    fallen = [(one.code, one.reason) for one in judged(claim, source) if not one.standing.stands]
    fallen = [why for why in fallen if not why[0].startswith("not_checkable")]
    assert fallen == []


@pytest.mark.parametrize(("kind", "claim", "source"), FALSE, ids=[c for _, c, _ in FALSE])
def test_what_says_otherwise_than_its_source_falls(kind: str, claim: str, source: str) -> None:
    assert any(not one.standing.stands for one in judged(claim, source)), kind


def test_a_german_ordinal_ends_no_sentence() -> None:
    text = "Der Vertrag wurde am 3. März 2020 unterzeichnet. Im 19. Jahrhundert galt er nicht."
    assert [text[s.start : s.end][:12] for s in sentences(text)] == ["Der Vertrag ", "Im 19. Jahrh"]
    assert len(sentences("I am 3. The others are 4.")) == 2


def test_a_sentence_full_of_numbers_costs_in_proportion(grows_straight: GrowsStraight) -> None:
    def work(size: int) -> object:
        return judged("one hour " * size + "and a half.", "It took 2 days.")

    assert grows_straight(work, 1_600)
