"""What the steps make, a line for each part, as ``shape.described`` reads it."""
# ruff: noqa: E501 - lines as the server writes them

from __future__ import annotations

LINES: tuple[str, ...] = tuple(
    """\
column cache.changed bigint not null
column cache.key bytea not null
column cache.seq bigint not null
column cache.state text collate C not null
column cache.tenant text collate C not null
column checkpoint.note bytea not null
column checkpoint.number bigint not null
column checkpoint.size bigint not null
column edge.child bytea not null
column edge.parent bytea not null
column edge.tenant text collate C not null
column entry.body bytea not null
column entry.hash bytea not null
column entry.prev bytea not null
column entry.run text collate C
column entry.seq bigint not null
column entry.type text collate C not null
column erased.ord integer not null
column erased.ordered_by bigint not null
column erased.seq bigint not null
column migration.checksum text collate C not null
column migration.number integer not null
column node.hash bytea not null
column node.level integer not null
column node.place bigint not null
column sequencer.epoch bigint not null
column sequencer.holder text collate C not null
column sequencer.id integer not null
column sequencer.since timestamp with time zone not null
column stage.body bytea not null
column stage.ord integer not null
column stage.seq bigint not null
column vault.ord integer not null
column vault.payload bytea not null
column vault.salt bytea not null
column vault.seq bigint not null
constraint cache CHECK ((state = ANY (ARRAY['live'::text, 'failed'::text, 'stale'::text, 'quarantined'::text])))
constraint cache PRIMARY KEY (tenant, key)
constraint checkpoint PRIMARY KEY (number)
constraint edge PRIMARY KEY (tenant, parent, child)
constraint entry CHECK (((seq >= 0) AND (seq < '9007199254740992'::bigint)))
constraint entry CHECK ((octet_length(hash) = 32))
constraint entry PRIMARY KEY (seq)
constraint entry UNIQUE (run)
constraint erased PRIMARY KEY (seq, ord)
constraint migration PRIMARY KEY (number)
constraint node CHECK ((level > 0))
constraint node CHECK ((octet_length(hash) = 32))
constraint node PRIMARY KEY (level, place)
constraint sequencer CHECK ((id = 1))
constraint sequencer PRIMARY KEY (id)
constraint stage PRIMARY KEY (seq, ord)
constraint vault PRIMARY KEY (seq, ord)
function checkpoint_is_next 582a1bf76463adc38bc704ab0c503675v search_path=, pg_temp
function entry_has_turn 0fc9df1a98c467d76270ac9f4e32e20cv search_path=, pg_temp
function entry_is_next 991ab08626b1961536a808342e9be0d1v search_path=, pg_temp
function erased_is_ordered ccf5bfb0189e48fc9533d007a73a5d1fv search_path=, pg_temp
function refuse_change d5d84f65007d34fb63ad7a50beb609a9v search_path=, pg_temp
function rows_have_entry 958ef4984770bc4f0a071d3dacda6b86v search_path=, pg_temp
function take_turn 94a13a51991096cbf907b6c3004d6e84v search_path=, pg_temp
function vault_wiped fd913e4dc8f9f94993db004afd9132d5v search_path=, pg_temp
index CREATE INDEX cache_by_run ON cache USING btree (seq)
index CREATE INDEX checkpoint_size ON checkpoint USING btree (size, number)
index CREATE INDEX entry_acts ON entry USING btree (type, seq) WHERE (run IS NULL)
index CREATE UNIQUE INDEX cache_pkey ON cache USING btree (tenant, key)
index CREATE UNIQUE INDEX checkpoint_pkey ON checkpoint USING btree (number)
index CREATE UNIQUE INDEX edge_pkey ON edge USING btree (tenant, parent, child)
index CREATE UNIQUE INDEX entry_pkey ON entry USING btree (seq)
index CREATE UNIQUE INDEX entry_run_key ON entry USING btree (run)
index CREATE UNIQUE INDEX erased_pkey ON erased USING btree (seq, ord)
index CREATE UNIQUE INDEX migration_pkey ON migration USING btree (number)
index CREATE UNIQUE INDEX node_pkey ON node USING btree (level, place)
index CREATE UNIQUE INDEX sequencer_pkey ON sequencer USING btree (id)
index CREATE UNIQUE INDEX stage_pkey ON stage USING btree (seq, ord)
index CREATE UNIQUE INDEX vault_pkey ON vault USING btree (seq, ord)
table cache rp
table checkpoint rp
table edge rp
table entry rp
table erased rp
table migration rp
table node rp
table sequencer rp
table stage rp
table vault rp
trigger checkpoint.checkpoint_is_next 7A checkpoint_is_next
trigger checkpoint.checkpoint_no_delete 10A refuse_change
trigger checkpoint.checkpoint_no_truncate 34A refuse_change
trigger checkpoint.checkpoint_no_update 18A refuse_change
trigger entry.entry_has_turn 6A entry_has_turn
trigger entry.entry_is_next 7A entry_is_next
trigger entry.entry_no_delete 10A refuse_change
trigger entry.entry_no_truncate 34A refuse_change
trigger entry.entry_no_update 18A refuse_change
trigger erased.erased_is_ordered 7A erased_is_ordered
trigger erased.erased_no_delete 10A refuse_change
trigger erased.erased_no_truncate 34A refuse_change
trigger erased.erased_no_update 18A refuse_change
trigger migration.migration_no_delete 10A refuse_change
trigger migration.migration_no_truncate 34A refuse_change
trigger migration.migration_no_update 18A refuse_change
trigger node.node_no_delete 10A refuse_change
trigger node.node_no_truncate 34A refuse_change
trigger node.node_no_update 18A refuse_change
trigger stage.stage_has_entry 4A rows_have_entry
trigger stage.stage_no_delete 10A refuse_change
trigger stage.stage_no_truncate 34A refuse_change
trigger stage.stage_no_update 18A refuse_change
trigger vault.vault_has_entry 4A rows_have_entry
trigger vault.vault_no_delete 10A refuse_change
trigger vault.vault_no_truncate 34A refuse_change
trigger vault.vault_updated 19A vault_wiped
""".splitlines()
)
