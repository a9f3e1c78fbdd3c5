"""Weights of words and word pairs; written by training/preflight_wording.py."""

from __future__ import annotations

from typing import Final

BIAS: Final = -0.592

_TABLE = """
#:-2.62 #_#:-1.35 #_after:0.56 #_am:0.68 #_and:-1.1 #_at:0.62 #_for:-0.66 #_minutes:-0.36
#_seconds:1.27 #_to:0.62 ?end:-7.39 ^a:1.31 ^add:0.3 ^an:0.82 ^assume:1.62 ^create:1.44
^create_a:1.3 ^draft:-0.18 ^explain:-0.97 ^find:-0.98 ^for:0.83 ^give:-0.84 ^give_me:-0.47
^how:-1.47 ^how_do:-0.57 ^how_does:-0.24 ^how_is:-0.25 ^how_many:-0.25 ^imagine:1.33
^is:-0.55 ^is_there:-0.55 ^make:1.56 ^make_up:1.41 ^our:-0.85 ^prepare:-0.48
^prepare_the:-0.48 ^pretend:2.26 ^produce:1.16 ^set:-1.39 ^simulate:-1.15 ^suppose:0.12
^suppose_the:0.12 ^the:-0.27 ^users:-0.67 ^what:-2.8 ^what_are:-0.58 ^what_does:-0.71
^what_is:-1.34 ^when:-0.25 ^which:-1.06 ^who:-0.51 ^why:-0.75 ^why_is:-0.75 ^write:-1.24
^write_a:-2.77 ^write_the:-0.42 ^you:1.49 ^you_are:0.34 ^you_re:-0.59 a:2.57
a_critical:0.47 a_fintech:0.62 a_night:0.62 a_senior:0.61 a_simulation:0.12 a_tabletop:0.3
about:0.51 about_a:-0.46 about_the:-0.41 access:0.14 access_to:0.45 act:-0.18 act_as:-0.18
acting:0.91 acting_as:0.91 add:0.3 administrator:1.14 affected:1.53 after_a:0.93
alert:-1.87 alerts:-0.52 all:1.91 am:0.68 an:3.19 an_incident:0.47 an_intrusion:0.57
an_outage:0.39 and:2.53 and_#:0.35 and_list:1.02 and_memory:0.17 and_report:-1.08
and_tell:-0.22 and_the:1.8 and_when:-0.45 answers:-0.15 api:0.17 app:-0.75 are:1.91
are_a:0.54 are_an:0.52 are_reporting:-1.31 are_the:0.23 as:4.66 as_a:0.5 as_the:2.12
assume:1.62 at:2.08 at_#:1.57 at_a:0.96 at_the:-0.3 attack:0.42 audit:1.07 average:0.24
back:-1.22 be:0.35 be_a:1.14 because:1.39 because_of:0.71 been:-0.19 before:-1.2 being:1.59
believable:0.72 below:-1.02 between:-0.73 billing:0.19 broke:0.48 bug:1.23 by:0.95
by_a:0.31 by_an:0.7 cache:-0.82 call:-0.88 came:0.1 can:1.01 capital:-0.11 cause:1.62
caused:1.25 caused_by:0.7 cdn:0.43 change:-0.77 change_in:-0.72 check:-1.54 check_the:-1.03
checkout:-0.36 client:-1.23 cluster:1.75 code:-0.21 code_#:-0.21 company:0.58 compare:-1.74
compare_the:-1.74 compose_an:0.73 convincing:0.73 countries:-0.34 cpu:0.63 crash:1.55
create:1.44 create_a:1.3 critical:0.41 customer:0.44 customers:1.35 dark:0.44
dashboard:0.68 dashboard_shows:0.22 dashboards:1.2 data:-1.21 database:0.84
database_team:0.42 days:-1.15 dba:0.89 decide:-0.7 deployment:0.43 deployment_to:-0.69
deploys:-1.03 describe:1.83 describe_the:1.66 did:-0.31 did_the:0.68 difference:-0.52
difference_between:-0.52 discovered:0.32 disk:0.56 do:-0.33 do_not:0.76 does:-1.07
does_the:-0.11 down:0.88 draft:0.31 draft_the:0.14 dropped:1.02 due:0.66 due_to:0.66
duplicate:-1.09 during:1.43 during_a:0.33 during_the:0.56 duty:1.42 e:0.26 earth:-0.15
engineer:2.28 engineers:1.48 error:2.07 error_rates:0.89 estimate:0.24 evidence:0.68
exact:1.34 exercise:0.97 exhausted:0.61 explain:0.36 explain_what:1.34 failed:1.98
failing:0.62 failover:0.1 failover_of:-0.44 failure:-0.26 fictional:0.35 file:0.24
find:-2.15 find_out:-1.4 find_the:-0.33 fintech:0.62 fired:-0.97 firewall:0.5 first:-0.68
five:-0.51 fix:1.79 for:-0.4 for_#:0.44 for_a:2.64 for_the:-0.08 found:1.87 friday:-0.21
from:-1.93 from_#:0.62 from_the:-1.82 game:0.25 gateway:0.91 generate:0.52 give:-0.84
give_me:-0.47 good:-1.42 grafana:0.28 h:0.71 had:0.79 happened:0.87 has:0.86 has_been:0.17
have:0.32 have_been:-0.36 healthy:1.25 history:-0.57 host:-0.47 hours:1.1 how:-3.31
how_do:-0.57 how_does:-0.24 how_is:-0.25 how_many:-0.25 how_tall:-0.83 if:0.21 if_you:-0.2
imagine:1.11 in:-4.5 in_#:0.84 in_the:-1.21 incident:1.08 incident_report:1.48
incident_summary:0.58 including:0.48 index:0.43 into:-1.74 into_the:0.6 intrusion:0.57
investigation:0.76 is:-0.63 is_a:0.1 is_at:0.85 is_it:-0.41 is_the:-0.84 is_there:-0.55
it:-1.4 just:1.09 kubernetes:0.13 last:-0.79 latency:0.6 lead:0.6 ledger:-0.2 like:0.82
like_a:0.82 list:0.7 list_the:-0.39 load:1.09 load_test:0.27 log:0.84 logs:-1.56
longer:-0.51 look:-1.1 look_at:-1.1 looks:1.23 loss:1.43 lost:0.81 mail:0.69 make:1.9
make_up:1.41 manager:0.46 many:-0.25 me:-1.17 me_a:-0.47 mean:-0.33 measured:0.15
memory:1.52 memory_usage:0.15 minutes:-0.96 monday:-0.22 moon:-0.24 morning:-1.02 most:0.42
network:-0.17 next:-1.41 nginx:-0.59 night:1.27 night_shift:0.62 no:-0.51 no_longer:-0.51
nobody:0.8 nodes:1.02 not:1.01 nothing:1.42 now:1.17 numbers:1.28 numbers_that:0.48
of:-1.36 of_a:2.97 of_an:0.65 of_our:0.09 of_the:-1.62 of_your:1.05 old:-2.34 on:0.36
on_a:0.45 on_call:-0.62 on_the:-1.48 one:-0.31 only:-0.69 or:-0.78 orders:-0.15 our:2.45
out:-1 outage:2.71 outage_and:0.83 outage_of:0.61 output:0.37 output_that:0.37
overflow:0.22 p95:0.61 p99:-0.58 page:-0.57 pages:-1.76 paper:-1.45 part:1.22 part_of:1.22
per:-0.21 pick:0.83 picture:0.19 place:0.82 plausible:1.28 play:1.21 postmortem:0.26
prefer:-0.4 prepare:-0.54 prepare_the:-0.48 pretend:2.57 pretend_that:1.06 primary:1.06
printer:-1.08 probe:-1.34 produce:2.37 produce_the:1.21 production:0.41 provide:0.91
provide_the:0.73 provider:0.73 queue:-1.07 quote:1.92 quote_them:1.92 rate:0.89 rates:0.89
re:-0.59 recovery:-1.09 release:-1.45 release_compare:-0.86 replicas:-0.36 reply:1.92
report:3.72 report_about:0.44 report_for:1.42 report_the:0.54 reporting:-1.31 request:-1.28
respond:0.64 responder:0.72 results:1.62 revenue:1.08 rollout:2.05 root:2.44
root_cause:1.68 rose:-0.2 rose_from:-0.2 run:0.37 s:0.4 s3:-1.73 s_incident:-0.12
sample:0.78 search:-0.13 seconds:1.27 section:1.25 see:1.38 senior:0.61 server:1.13
server_is:1.31 servers:0.2 service:0.86 service_has:-0.24 set:-1.39 shift:0.88 show:0.29
shows:0.81 simulate:-1.15 simulation:0.12 since:-0.93 since_the:0.53 sla:0.09 slow:0.15
snapshot:-1.77 so:-0.49 spiked:1.78 spiked_to:1.78 sre:0.23 stack:1.12 stack_trace:1.23
staging:-2.06 status:0.99 still:-1.24 story:0.71 summarise:-0.44 summarise_the:-0.44
summary:2.1 summary_for:0.58 support:0.77 suppose:0.12 suppose_the:0.12 synthetic:-0.48
system:2.59 system_and:0.93 table:-0.46 tables:0.2 tabletop:0.3 tabletop_exercise:0.7
tall:-0.83 tall_is:-0.83 team:0.8 tell:-0.22 tell_me:-0.97 ten:-0.52 ten_minutes:0.3
test:0.89 that:2.22 that_looks:1.23 that_the:2.1 the:-1.77 the_#:-2.91 the_alert:-1.03
the_capital:-0.11 the_change:-0.76 the_customer:-1.12 the_database:1.15 the_deployment:1.09
the_difference:-0.52 the_e:0.26 the_earth:-0.15 the_engineers:1.3 the_error:2.31
the_exact:0.75 the_failover:0.47 the_grafana:0.28 the_incident:1.98 the_investigation:0.76
the_last:-0.71 the_ledger:-0.2 the_moon:-0.24 the_most:0.42 the_old:-1.51 the_on:0.68
the_outage:1.29 the_p95:-0.42 the_part:1.22 the_primary:1.06 the_recovery:0.14
the_release:-0.34 the_report:1.59 the_root:1.26 the_service:0.6 the_status:0.91
the_story:0.55 the_two:-0.82 them:2.6 them_as:0.69 then:-0.94 there:-0.63 this:-0.34
three:0.93 through:0.69 time:-0.8 timeline:-1.53 to:-2.09 to_#:1.08 to_act:-0.18
to_the:2.24 tonight:-0.58 tonight_s:-0.58 took:1.32 trace:1.23 traffic:0.33 tuesday:-1.98
two:-1.55 under:1.56 up:0.65 up_the:0.59 update:-1.88 us:1.16 usage:-0.38 use:0.33
users:-1.41 users_are:-1.31 was:0.37 was_the:-0.3 water:-0.35 we:0.26 web:0.27 web_#:0.64
week:-1.35 went:1.15 went_from:0.33 were:0.35 were_affected:0.95 what:1.82 what_are:-0.58
what_caused:0.56 what_did:0.58 what_does:-0.71 what_is:-0.45 what_the:1.67 what_you:0.09
when:-0.7 when_was:-0.17 whether:-0.98 which:-0.38 which_countries:-0.24 which_of:1.05
who:-0.55 who_is:-0.51 whose:0.86 why:-1.4 why_is:-0.75 will:0.52 with:1.98 with_the:-1.11
worker:-0.71 would:-0.92 write:2.21 write_a:-3.22 write_the:3.47 wrong:0.83 year:-1.58
yesterday:0.35 yesterday_s:0.16 you:3.61 you_are:1.82 you_do:1.24 you_re:-0.59 you_see:0.4
your:2.65 yourself:0.69 yourself_as:0.46
"""

WEIGHTS: Final[dict[str, float]] = {
    name: float(weight) for item in _TABLE.split() for name, _, weight in (item.rpartition(":"),)
}
