-- What is learned about how sure the models may be: samples, fitted versions, evaluations, rollbacks.

-- `basis` names the weights and the bundled calibration a prediction came from: samples of other weights fit nothing.
-- `probabilities` (supports, refutes, neutral) belong to corrected stances; elsewhere `prediction` stands alone.
create table calibration_samples (
    seq integer primary key autoincrement,
    id text not null unique,
    source text not null check (source in ('nli_judge', 'llm_extract')),
    language text not null,
    basis text not null,
    prediction real not null check (prediction between 0 and 1),
    probabilities text check (probabilities is null or json_array_length(probabilities) = 3),
    actual text not null check (actual in ('true', 'false', 'supports', 'refutes', 'neutral')),
    edge_id text unique,
    context text not null default '',
    is_considered integer not null default 0 check (is_considered in (0, 1)),
    created_at text not null,
    check ((probabilities is null) = (actual in ('true', 'false')))
) strict;
create index calibration_samples_by_source on calibration_samples (source, basis, language, is_considered, seq);

-- A version is a whole set: one row for each language that has a fit. A new fit of one language carries the others
-- over, `fitted_in` telling from where, so that rolling back is choosing another set. Version 0 is the bundled
-- calibration alone and has no rows.
create table calibration_parameters (
    source text not null check (source in ('nli_judge', 'llm_extract')),
    version integer not null check (version > 0),
    language text not null,
    basis text not null,
    method text not null check (method in ('platt', 'temperature', 'vector')),
    parameters text not null check (json_valid(parameters)),
    fitted_on integer not null check (fitted_on > 0),
    brier_before real not null,
    brier_after real not null,
    fitted_in integer not null,
    is_active integer not null default 0 check (is_active in (0, 1)),
    reason text not null default '',
    created_at text not null,
    primary key (source, version, language)
) strict, without rowid;
create unique index calibration_parameters_active on calibration_parameters (source, basis, language)
    where is_active = 1;

create table calibration_evaluations (
    id text primary key,
    source text not null check (source in ('nli_judge', 'llm_extract')),
    brier_score real not null,
    brier_score_calibrated real,
    improvement_ratio real not null,
    expected_calibration_error real not null,
    samples_evaluated integer not null check (samples_evaluated > 0),
    bins_json text not null check (json_valid(bins_json)),
    calibration_version integer not null,
    evaluated_at text not null,
    created_at text not null
) strict;
create index calibration_evaluations_by_source on calibration_evaluations (source, evaluated_at);

create table calibration_rollbacks (
    id text primary key,
    source text not null,
    basis text not null,
    previous_version integer not null,
    rolled_back_to integer not null,
    reason text not null default '',
    is_automatic integer not null default 0 check (is_automatic in (0, 1)),
    created_at text not null
) strict;
