"""Adopting a fit and taking it back: each function is one transaction, so that processes do not undo one another."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.calibration.bundled import METHOD
from lyra.calibration.fits import FittedCalibration, FitTrial
from lyra.errors import CalibrationError, InvalidParams
from lyra.ids import new_id
from lyra.model.calibration import CalibrationSample, CalibrationSource, FittedVersion, Rollback
from lyra.model.event import Event
from lyra.storage import calibrations, journal

if TYPE_CHECKING:
    from apsw import Connection


def basis_name(model_id: str, bundled: str) -> str:
    """Names what predictions come from: other weights or another bundled calibration, another basis.

    A calibration of several readers names their weights itself, and its results mean the same whichever reader decided.
    """
    return bundled if bundled.startswith(METHOD) else f"{model_id} {bundled}"


def adopt_fit(
    connection: "Connection",
    source: CalibrationSource,
    basis: str,
    language: str,
    samples: Sequence[CalibrationSample],
    trial: FitTrial,
    *,
    expected: int,
    moment: datetime,
) -> int | None:
    """Note that the samples were considered and adopt the fit, unless another process was quicker."""
    calibrations.set_considered(connection, [sample.id for sample in samples])
    active = calibrations.active(connection, source, basis)
    if trial.fit is None or trial.brier_after is None or FittedCalibration.of(active).version != expected:
        return None
    version = calibrations.next_version(connection, source)
    carried = [replace(row, version=version, is_active=False) for row in active if row.language != language]
    fresh = FittedVersion(
        source=source,
        version=version,
        language=language,
        basis=basis,
        fit=trial.fit,
        fitted_on=len(samples),
        brier_before=trial.brier_before,
        brier_after=trial.brier_after,
        fitted_in=version,
        is_active=False,
        reason=trial.reason,
        created_at=moment,
    )
    calibrations.insert_versions(connection, [*carried, fresh])
    calibrations.activate(connection, source, basis, version)
    details = {
        "version": version,
        "language": language,
        "method": trial.fit.method,
        "samples": len(samples),
        "brier_before": trial.brier_before,
        "brier_after": trial.brier_after,
    }
    journal.append(connection, [Event("calibration_fitted", moment, source, details)])
    return version


def roll_back(
    connection: "Connection",
    source: CalibrationSource,
    basis: str,
    version: int | None,
    *,
    reason: str,
    is_automatic: bool,
    moment: datetime,
) -> Rollback:
    """Put another version in force, by default the one before, with its entry in the audit and the journal."""
    current = FittedCalibration.of(calibrations.active(connection, source, basis)).version
    versions = (0, *calibrations.version_numbers(connection, source, basis))
    target = previous_version(connection, source, basis, current) if version is None else version
    if target == current or target not in versions:
        state = "is already in use" if target == current else "does not exist for the weights in use"
        raise InvalidParams(
            f"Version {target} of {source} {state}.",
            remedy=f"Choose one of: {', '.join(str(each) for each in versions if each != current) or 'none'}.",
            details={"current_version": current, "versions": list(versions)},
        )
    done = Rollback(new_id("cr"), source, basis, current, target, reason, is_automatic, moment)
    calibrations.activate(connection, source, basis, target)
    calibrations.insert_rollback(connection, done)
    details = {"from": current, "to": target, "reason": reason, "is_automatic": is_automatic}
    journal.append(connection, [Event("calibration_rolled_back", moment, source, details, cause_id=done.id)])
    return done


def previous_version(connection: "Connection", source: CalibrationSource, basis: str, current: int) -> int:
    """The version that the current one replaced: not one of a lower number that had been taken back by then."""
    if current == 0:
        raise CalibrationError(
            f"The source {source} uses its bundled calibration alone; there is nothing to roll back.",
            remedy="calibrate get_stats lists the versions.",
        )
    history = calibrations.put_in_force(connection, source, basis)
    return history[history.index(current) - 1]
