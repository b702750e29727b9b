"""Night, weekends and holidays: nobody answers for an overloaded server then, nor for a CAPTCHA (SPEC §9)."""

from datetime import datetime

from lyra.settings import Politeness

_SATURDAY = 5


def care(name: str, local: datetime, settings: Politeness) -> float:
    """How much longer to pause after a request to this name at this time; APIs are made for machines at any hour."""
    if name.startswith("api:"):
        return 1.0
    return settings.quiet_factor if is_quiet(local, settings) else 1.0


def is_quiet(local: datetime, settings: Politeness) -> bool:
    """Whether it is night, weekend or holiday where this machine stands."""
    is_holiday = {f"{local:%m-%d}", f"{local:%Y-%m-%d}"} & set(settings.holidays)
    return bool(is_holiday) or local.weekday() >= _SATURDAY or _is_night(local.hour, settings)


def _is_night(hour: int, settings: Politeness) -> bool:
    begins, ends = settings.night_from, settings.night_until
    if begins <= ends:
        return begins <= hour < ends
    return hour >= begins or hour < ends
