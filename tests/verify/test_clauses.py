"""Claims compared clause by clause: an honest and a false twin for each source.

The scorer believes everything, so that whatever falls was brought down by a check.
"""

from __future__ import annotations

import pytest
from tests.verify.believing import judged_one

# Source, honest twin, false twin.
TWINS = [
    ("Aspirin is contraindicated in children under 16 with fever. Adults may take 500 mg up to four times a day.", "Adults may take 500 mg of aspirin.", "Aspirin can be given to children with fever."),
    ("The ointment must not be used on open wounds and should be kept away from the eyes.", "The ointment must not be applied to open wounds.", "The ointment is suitable for open wounds."),
    ("In the study, the inhaler eased symptoms in 60 percent of asthma patients within a week.", "The inhaler eased symptoms in asthma patients.", "The inhaler cures asthma."),
    ("Pregnant women should not receive this vaccine. It is approved for adults from 18 years.", "The vaccine is approved for adults.", "Pregnant women may receive the vaccine."),
    ("Patients in group A received the new drug, and patients in group B received a placebo.", "Group B received a placebo.", "Group A received a placebo."),
    ("The nurse called the surgeon at 22:40, and the surgeon arrived at 23:05.", "The surgeon arrived 25 minutes after the call.", "The surgeon called the nurse at 22:40."),
    ("The buyer bears the cost of transport; the seller bears the cost of packaging.", "The seller bears the cost of packaging.", "The seller bears the cost of transport."),
    ("The jury acquitted Harlan on all counts after three days of deliberation.", "Harlan was acquitted on all counts.", "Harlan was convicted on all counts."),
    ("The lessee may not sublet the premises without the written consent of the lessor.", "The lessee needs written consent to sublet the premises.", "The lessee may sublet the premises freely."),
    ("Either party may terminate the contract with 60 days' notice. The supplier must return all documents within 30 days.", "The supplier must return all documents within 30 days.", "Either party may terminate the contract with 30 days' notice."),
    ("This policy is governed by the law of Ireland. Claims must be filed with the office in Madrid.", "The policy is governed by Irish law.", "This policy is governed by the law of Madrid."),
    ("The appeals court upheld the verdict against Norten and ordered it to pay 2 million euros to Velda.", "Norten must pay 2 million euros to Velda.", "Velda was ordered to pay 2 million euros to Norten."),
    ("The judge rejected the motion to suppress the recordings.", "The motion to suppress the recordings was rejected.", "The judge granted the motion to suppress the recordings."),
    ("Members are prohibited from holding shares in listed banks.", "Members must not hold shares in listed banks.", "Members may hold shares in listed banks."),
    ("Lazio defeated Parma 2-0 in front of 30,000 fans, and Rossi scored both goals.", "Rossi scored two goals for Lazio.", "Parma defeated Lazio 2-0."),
    ("Keller won the marathon in 2:08:11, ahead of Osei and Tanaka.", "Keller won the marathon.", "Osei won the marathon ahead of Keller."),
    ("Moreno scored three times as Sevilla beat Getafe 4-1 on Friday.", "Moreno scored a hat-trick.", "Getafe beat Sevilla 4-1."),
    ("Ilves left Tappara in 2021 and now coaches Lugano.", "Ilves coaches Lugano.", "Ilves coaches Tappara."),
    ("The match was abandoned because of a power cut in the second half.", "A power cut led to the match being abandoned.", "The match was abandoned because of rain."),
    ("Dutch sprinter Vos took silver in the 200 metres, and Belgian runner Peeters took bronze.", "Peeters took bronze in the 200 metres.", "Vos took bronze in the 200 metres."),
    ("At 14:02 the load balancer in Zurich shifted traffic to the cluster in Milan.", "Traffic was shifted to the cluster in Milan.", "The load balancer shifted traffic to the cluster in Zurich."),
    ("The outage began at 08:15 and ended at 08:55. Checkout was down; search kept working.", "The outage lasted 40 minutes.", "Search was down during the outage."),
    ("The rollback was triggered by a memory leak in the cache service.", "A memory leak in the cache service triggered the rollback.", "The rollback was triggered by a disk failure in the cache service."),
    ("Backups run nightly on the primary; the replica is backed up every Sunday.", "The replica is backed up every Sunday.", "The replica is backed up nightly."),
    ("Some 300 messages sent between 02:00 and 02:20 were lost during the migration.", "About 300 messages were lost.", "No messages were lost during the migration."),
    ("Users cannot change their own role. Administrators can change any role.", "Administrators can change any role.", "Users can change their own role."),
    ("The API accepts JSON and XML, but CSV uploads are not supported.", "CSV uploads are not supported by the API.", "CSV uploads are supported by the API."),
    ("Latency fell from 400 ms to 100 ms after the upgrade.", "Latency fell by 75 percent.", "Latency was halved by the upgrade."),
    ("The ferry to Palma departs from pier 2, and the ferry to Ibiza departs from pier 5.", "The ferry to Ibiza departs from pier 5.", "The ferry to Ibiza departs from pier 2."),
    ("The 9:40 service to Ghent arrived 25 minutes late owing to signalling work.", "The service to Ghent was late because of signalling work.", "The service to Ghent arrived on time."),
    ("Hand luggage is free. Each checked bag costs 35 euros, except for members, who check one bag free of charge.", "Members can check one bag free of charge.", "Checked bags are free for everyone."),
    ("Dogs are welcome in the garden but are not allowed in the dining room.", "Dogs are allowed in the garden.", "Dogs are allowed in the dining room."),
    ("The cable car runs from May to October; in winter it is closed.", "The cable car is closed in winter.", "The cable car runs in winter."),
    ("Parking is free for hotel guests. Visitors pay 4 euros an hour.", "Visitors pay 4 euros an hour for parking.", "Parking is free for all visitors."),
    ("The library is open Tuesday to Saturday, 10:00 to 18:00.", "The library is open on Saturday.", "The library is open on Monday."),
    ("All items apart from gift cards can be returned within 28 days.", "Most items can be returned within four weeks.", "Gift cards can be returned within 28 days."),
    ("The warranty covers the motor for five years and the battery for one year.", "The battery is covered for one year.", "The warranty covers the battery for five years."),
    ("Delivery is free on orders over 50 euros; smaller orders cost 4.90 euros to ship.", "Delivery is free for orders of more than 50 euros.", "Delivery is free on all orders."),
    ("Vouchers cannot be exchanged for cash.", "Vouchers are not exchangeable for cash.", "Vouchers can be exchanged for cash."),
    ("The blue model weighs 2 kg, while the red model weighs 3 kg.", "The red model weighs 3 kg.", "The blue model weighs 3 kg."),
    ("Sales fell from 80 million to 60 million dollars in 2023.", "Sales fell by 25 percent in 2023.", "Sales halved in 2023."),
    ("The number of subscribers rose from 2 million to 6 million in four years.", "The number of subscribers tripled in four years.", "The number of subscribers doubled in four years."),
    ("Kandor acquired Brightfield for 90 million dollars in March, with the deal closing in June.", "Kandor bought Brightfield for 90 million dollars.", "Brightfield acquired Kandor for 90 million dollars."),
    ("Anja Roth resigned as chief executive in May and was succeeded by Paul Meyer.", "Paul Meyer succeeded Anja Roth.", "Anja Roth succeeded Paul Meyer as chief executive."),
    ("The plant in Leipzig builds vans. The plant in Bremen builds sports cars.", "The Bremen plant builds sports cars.", "The plant in Leipzig builds sports cars."),
    ("The company cut 120 jobs in sales but kept all positions in research.", "All positions in research were kept.", "The company cut 120 jobs in research."),
    ("Shareholders rejected the takeover bid by a narrow margin.", "The takeover bid was rejected by shareholders.", "Shareholders approved the takeover bid."),
    ("The price increase was caused by higher energy costs.", "Higher energy costs caused the price increase.", "The price increase was caused by a shortage of staff."),
    ("The probe entered orbit around Mars in 2014; its twin crashed on Venus.", "The probe entered orbit around Mars.", "The probe entered orbit around Venus."),
    ("Lead author Kim found that sleep improved memory in mice, but not in rats.", "Sleep improved memory in mice.", "Sleep improved memory in rats."),
    ("Copper melts at 1085 degrees and silver melts at 962 degrees.", "Silver melts at 962 degrees.", "Silver melts at 1085 degrees."),
    ("The dam was built to supply water to Perth. A second dam, finished in 1971, supplies Albany.", "The second dam was finished in 1971.", "The second dam supplies water to Perth."),
    ("The samples were stored at minus 80 degrees, except the blood samples, which were kept at 4 degrees.", "The blood samples were kept at 4 degrees.", "The blood samples were stored at minus 80 degrees."),
    ("The bill passed the lower house but failed in the senate by two votes.", "The bill failed in the senate.", "The bill passed the senate."),
    ("Residents of the old town are exempt from the congestion charge; all other drivers pay 8 euros.", "Residents of the old town do not pay the congestion charge.", "All drivers pay the congestion charge."),
    ("The mayor vetoed the budget, which the council had approved in April.", "The council approved the budget in April.", "The mayor approved the budget."),
    ("The school is closed on public holidays and during the last two weeks of July.", "The school is closed on public holidays.", "The school is open every day of the year."),
    ("Only teachers may use the staff car park.", "Teachers may use the staff car park.", "Students may use the staff car park."),
    ("Applicants from Norway need no visa, whereas applicants from Chile need one.", "Applicants from Chile need a visa.", "Applicants from Norway need a visa."),
    ("The fire started at 21:30 in the kitchen and was out by 23:00. Two firefighters were injured.", "Two firefighters were injured.", "Nobody was injured in the fire."),
]  # fmt: skip
FALSE = [
    ("Ibuprofen is safe for patients with stomach ulcers.", "Ibuprofen must not be given to patients with a history of stomach ulcers."),
    ("Children under 12 may take one tablet.", "Adults: one tablet twice daily. Not recommended for children under 12."),
    ("The drug cures migraine.", "In a trial of 40 patients the drug reduced migraine days by two a month."),
    ("The landlord must give one month's notice.", "The tenant must give one month's notice; the landlord must give three months' notice."),
    ("Norway beat Sweden 3-1.", "Sweden beat Norway 3-1 in Oslo on Saturday, with two goals by Berg."),
    ("The database failed over to the replica in Frankfurt.", "At 03:10 the primary in Frankfurt failed over to the replica in Dublin."),
    ("The train to Lyon leaves from platform 4.", "The train to Paris leaves from platform 4. The train to Lyon leaves from platform 7."),
    ("The agreement is governed by the laws of New York.", "This agreement is governed by the laws of the State of Delaware. Disputes go to courts in New York."),
    ("Employees may disclose trade secrets after termination.", "Employees shall not disclose trade secrets during or after the term of employment."),
    ("The court found the company guilty of fraud.", "The court dismissed the fraud charges against the company for lack of evidence."),
    ("The support desk is open on Sunday.", "Our support desk is open Monday to Friday, 9:00 to 17:00."),
    ("Refunds are available for digital goods.", "All goods except digital goods can be refunded within 14 days."),
    ("Breakfast is included in all rooms.", "Breakfast is included in suites; in standard rooms it costs 12 euros."),
    ("The museum is free for everyone on Sundays.", "Admission is free for students on Sundays. Adults pay 10 euros."),
    ("No customer data was lost.", "About 120 orders placed between 03:10 and 03:25 were lost."),
    ("Profit doubled last year.", "Profit rose from 10 million to 12 million euros last year."),
    ("The flight was delayed because of fog.", "The flight was delayed by two hours. A technical fault had been found in the left engine."),
    ("Berg scored a hat-trick.", "Sweden beat Norway 3-1 in Oslo on Saturday, with two goals by Berg."),
    ("Miller was convicted of fraud.", "Miller was acquitted of fraud on Monday after a long trial."),
    ("The flight left on time.", "The flight was delayed by two hours."),
    ("The delay was caused by fog.", "The delay was caused by snow on the runway."),
    ("Dahl plays for Arsenal.", "Dahl left Arsenal in 2020 and plays for Everton."),
    ("Children may take it.", "It is not recommended for children."),
    ("Grapefruit juice can be taken with this medicine.", "Do not take this medicine with grapefruit juice."),
    ("Diabetics may use the cream.", "The cream is not suitable for diabetics. It is applied twice a day."),
    ("The supplier pays the customs duties.", "Customs duties are paid by the buyer. The supplier pays the freight."),
    ("Minors are allowed to enter the casino.", "Entry to the casino is restricted to persons over 21; minors are not admitted."),
    ("Chelsea lost to Fulham.", "Chelsea beat Fulham 2-1 thanks to a late goal."),
    ("The keynote starts at 9:00 in Hall B.", "The keynote starts at 9:00 in Hall A; the workshop starts at 9:00 in Hall B."),
    ("Flash photography is permitted in the gallery.", "Visitors may take photographs in the gallery, but flash photography is prohibited."),
    ("Maria is the manager of the Oslo office.", "Maria manages the Bergen office, while Jonas manages the Oslo office."),
    ("Unemployment halved between 2010 and 2020.", "Unemployment fell from 9 percent in 2010 to 6 percent in 2020."),
    ("The crash was caused by icy roads.", "Police said the crash was caused by a driver who had fallen asleep."),
    ("Every employee receives a bonus.", "All employees except interns receive a bonus."),
    ("Interns receive a bonus.", "All employees except interns receive a bonus."),
    ("The pool is open in January.", "The pool is open from May to September."),
    ("The parcel arrived on time.", "The parcel arrived three days late."),
    ("The senate adopted the amendment.", "The senate rejected the amendment by 52 votes to 48."),
    ("The firewall blocks port 443.", "The firewall blocks port 22 and allows port 443."),
    ("Pluto hired Saturn's finance chief.", "Saturn hired Pluto's finance chief last week."),
    ("The treatment eliminates the tumour.", "The treatment slowed the growth of the tumour in half of the mice."),
    ("Students can park on campus.", "Parking on campus is reserved for staff."),
    ("The red line stops at Central.", "The blue line stops at Central; the red line stops at Harbour."),
    ("None of the passengers were hurt.", "Four passengers were hurt when the bus braked hard."),
    ("Smith voted for the bill.", "Smith voted against the bill, and Jones voted for it."),
    ("Tickets are refundable.", "Tickets are non-refundable."),
    ("The warranty covers water damage.", "The warranty does not cover water damage."),
    ("Guests must leave the room by 12:00.", "Check-in is from 15:00. Guests must leave the room by 10:00; luggage can be stored until 12:00."),
    ("The company made a loss in 2022.", "The company made a profit of 3 million euros in 2022."),
    ("Norway borders Poland.", "Norway borders Sweden. Germany borders Poland."),
    ("The contract was signed by the mayor.", "The mayor refused to sign the contract."),
    ("Anna is older than Ben.", "Ben is older than Anna by two years."),
    ("Revenue tripled.", "Revenue doubled in the last quarter."),
]  # fmt: skip
HONEST = [
    ("Profit rose by 20 percent.", "Profit rose from 10 million to 12 million euros last year."),
    ("The outage lasted 15 minutes.", "The outage began at 03:10 and ended at 03:25."),
    ("You can get a refund on physical goods within two weeks.", "All goods except digital goods can be refunded within 14 days."),
    ("Adults may take two tablets.", "Adults may take two tablets. The tablets must not be given to children."),
    ("Children may use the pool with an adult.", "Children must not use the pool without an adult."),
    ("The drug is approved for adults.", "The drug is approved for adults but not for children."),
    ("The seller pays the tax.", "The buyer pays the fee, and the seller pays the tax."),
    ("The court dismissed the fraud charges.", "The court dismissed the fraud charges but found the firm guilty of negligence."),
    ("The firm was found guilty of negligence.", "The court dismissed the fraud charges but found the firm guilty of negligence."),
    ("The flight was delayed due to bad weather.", "The flight was delayed because of bad weather and arrived at noon."),
    ("The match was called off because of rain.", "Heavy rain meant the match was called off."),
    ("All guests receive breakfast.", "Breakfast is served to all guests from 7 to 10."),
    ("Entry is free for everyone on Fridays.", "Entry is free for everybody on Fridays, for members on all days."),
    ("Everyone can join the club.", "The club is open to all. Members pay no fee."),
    ("Profit doubled.", "Profit rose from 5 million to 10.2 million euros."),
    ("Production more than doubled.", "Production rose from 100 to 260 cars a day."),
    ("Sweden beat Norway.", "Norway lost 3-1 to Sweden on Saturday."),
    ("Berg scored twice.", "Sweden won 3-1 with two goals by Berg."),
    ("Nobody was killed.", "Two people were injured, but nobody was killed."),
    ("No passengers were injured.", "Two crew members were injured in the crash."),
    ("The train to Lyon leaves from platform 7.", "The train to Paris leaves from platform 4. The train to Lyon leaves from platform 7."),
    ("Refunds are available for books.", "All goods except digital goods can be refunded, such as books."),
    ("Dahl plays for Everton.", "Dahl left Arsenal in 2020 and plays for Everton."),
    ("Dahl played for Arsenal.", "Dahl left Arsenal in 2020 and plays for Everton."),
    ("The shop is open on Sunday.", "The shop is open Monday to Friday from 9 to 18, and on Sunday from 10 to 14."),
    ("The drug reduces migraine.", "The drug cures migraine in some and reduces it in most patients."),
    ("The bill passed the house.", "The bill passed the house but failed in the senate."),
    ("Employees may disclose salaries.", "Employees shall not disclose trade secrets, but they may disclose salaries."),
    ("The meeting lasted two hours.", "The meeting ran from 10:00 to 12:00."),
    ("Costs rose by 5 million.", "Costs rose from 20 million to 25 million."),
    ("Only staff can enter the lab.", "Only staff may enter the lab."),
    ("Visitors may enter with a guide.", "Only staff may enter alone; visitors may enter with a guide."),
    ("The mayor approved the plan.", "The mayor first rejected the plan but approved it in May."),
    ("Smoking is allowed on the terrace.", "Smoking is not allowed in the rooms, only on the terrace."),
    ("The vaccine can be given to pregnant women.", "The vaccine can be given to pregnant women. It must not be given to children under two."),
    ("Kim was born in France.", "Kim was born in Lyon and lived in France until 1990."),
    ("The dog chased the cat.", "The cat was chased by the dog through the garden."),
    ("The bank lends money to the firm.", "The firm borrows money from the bank."),
    ("The outage affected users in Berlin.", "Users in Berlin were affected by the outage, users in Bonn were not."),
]  # fmt: skip
# Where one check or another was once too quick on real text.
HASTY = [
    ("The film stars Ada Quist.", "The film is a thriller starring Bo Lund and Ada Quist."),
    ("Tomas Reyes was born in Sonora.", "Born in Navojoa, Sonora, Tomas Reyes joined the academy at 13."),
    ("Only games on Sundays are eligible for a replay.", "Games not played on Sundays are ineligible for a replay."),
    ("You can move photos between other albums.", "You can't move photos that are in the cover album, but you can move photos between other albums."),
    ("Blue Hour is an album by Lena Ruiz.", "Blue Hour is the third album by Spanish singer and writer Lena Ruiz."),
    ("Preheat the oven to 500 degrees.", "Preheat the oven to 325 degrees for the roast. For the crust, preheat to 500 degrees."),
    ("The injuries of the family were described as serious.", "The filing described the injuries to the family as serious."),
    ("The highest income was that of an employed man.", "Income ranged from 3,000 for an unemployed woman to the highest income, that of an employed man."),
    ("The park is closed due to its success.", "The park is closed because it succeeded too well."),
]  # fmt: skip
# False twins that no check brings down yet; a judge with a model has to.
MISSED = [
    "Maria is the manager of the Oslo office.",
    "Smith voted for the bill.",
    "The cable car runs in winter.",
    "The pool is open in January.",
    "The probe entered orbit around Venus.",
    "The replica is backed up nightly.",
    "The school is open every day of the year.",
    "The second dam supplies water to Perth.",
    "The supplier pays the customs duties.",
]


ALL_HONEST = [*HONEST, *HASTY, *((honest, source) for source, honest, _ in TWINS)]
ALL_FALSE = [*FALSE, *((false, source) for source, _, false in TWINS)]


@pytest.mark.parametrize(("claim", "source"), ALL_HONEST)
def test_an_honest_twin_stands(claim: str, source: str) -> None:
    found = judged_one(claim, source)
    assert found.standing.stands, found.reason


@pytest.mark.parametrize(("claim", "source"), [p for p in ALL_FALSE if p[0] not in MISSED])
def test_a_false_twin_falls_and_names_its_evidence(claim: str, source: str) -> None:
    found = judged_one(claim, source)
    assert not found.standing.stands
    assert found.evidence


def test_the_twins_that_are_missed_are_counted_honestly() -> None:
    missed = [claim for claim, source in ALL_FALSE if judged_one(claim, source).standing.stands]
    assert sorted(missed) == MISSED
    assert (len(ALL_FALSE), len(missed)) == (113, 9)
