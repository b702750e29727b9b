"""Signatures in the form of minisign (Ed25519 over BLAKE2b), made and checked here or by minisign itself.

https://jedisct1.github.io/minisign/ describes the form. Secret keys under a password are refused.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from lyra.errors import InvalidParams

_KEY, _PREHASHED = b"Ed", b"ED"
_UNENCRYPTED, _SCRYPT = b"\x00\x00", b"Sc"
_CHECKSUM = b"B2"
_UNTRUSTED, _TRUSTED = "untrusted comment: ", "trusted comment: "
_SECRET_BYTES, _PUBLIC_BYTES, _SIGNATURE_BYTES = 158, 42, 74
_MOST_CHARS = 8_192


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 key and the number by which signatures name it."""

    key_id: bytes
    key: bytes

    @property
    def name(self) -> str:
        """The number as minisign shows it."""
        return self.key_id[::-1].hex().upper()

    @property
    def text(self) -> str:
        return _encoded(_KEY + self.key_id + self.key)


@dataclass(frozen=True, slots=True)
class SecretKey:
    """What signs; `seed` is never shown."""

    key_id: bytes
    seed: bytes

    @property
    def public(self) -> PublicKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return PublicKey(self.key_id, Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)


def new_key() -> SecretKey:
    """A key pair from the machine's own randomness."""
    return SecretKey(secrets.token_bytes(8), secrets.token_bytes(32))


def secret_key_text(key: SecretKey) -> str:
    """The file of a secret key without a password, as `minisign -G -W` writes it."""
    pair = key.seed + key.public.key
    checksum = hashlib.blake2b(_KEY + key.key_id + pair, digest_size=32).digest()
    data = _KEY + _UNENCRYPTED + _CHECKSUM + bytes(48) + key.key_id + pair + checksum
    return f"{_UNTRUSTED}minisign secret key\n{_encoded(data)}\n"


def public_key_text(key: PublicKey) -> str:
    """The file of a public key."""
    return f"{_UNTRUSTED}minisign public key {key.name}\n{key.text}\n"


def read_secret_key(path: Path) -> SecretKey:
    """The key in a file. Raises InvalidParams where it is none, or is under a password."""
    data = _payload(_text(path), "secret key", _SECRET_BYTES)
    algorithm, kdf, key_id, pair, checksum = data[:2], data[2:4], data[54:62], data[62:126], data[126:]
    if algorithm != _KEY:
        raise _unusable("secret key", "it is of another kind")
    if kdf == _SCRYPT:
        raise InvalidParams(
            "The secret key is protected by a password, which Lyra does not ask for.",
            remedy="Sign the pack with minisign itself (minisign -Sm PACK), or make a key with `lyra pack keygen`.",
        )
    wanted = hashlib.blake2b(_KEY + key_id + pair, digest_size=32).digest()
    if kdf != _UNENCRYPTED or not hmac.compare_digest(wanted, checksum):
        raise _unusable("secret key", "its checksum is wrong")
    return SecretKey(key_id, pair[:32])


def read_public_key(given: str) -> PublicKey:
    """The key in a file, or given as it is. Raises InvalidParams where it is none."""
    path = Path(given)
    text = _text(path) if _is_file(path) else given
    data = _payload(text, "public key", _PUBLIC_BYTES)
    if data[:2] != _KEY:
        raise _unusable("public key", "it is of another kind")
    return PublicKey(data[2:10], data[10:])


def sign_file(path: Path, key: SecretKey, comment: str) -> str:
    """The signature of a file, as the text of its `.minisig`; `comment` is signed too."""
    signature = key.sign(_file_hash(path))
    overall = key.sign(signature + comment.encode())
    lines = (f"{_UNTRUSTED}signature from lyra pack", _encoded(_PREHASHED + key.key_id + signature))
    return "\n".join((*lines, f"{_TRUSTED}{comment}", _encoded(overall))) + "\n"


def check_signature(path: Path, signature: Path, key: PublicKey) -> str:
    """The signed comment. Raises InvalidParams where the signature is not of this file by this key."""
    lines = _text(signature).splitlines()
    if len(lines) < 4 or not lines[2].startswith(_TRUSTED):
        raise _unusable("signature", "it has another form")
    data = _decoded(lines[1], "signature", _SIGNATURE_BYTES)
    algorithm, key_id, signed, comment = data[:2], data[2:10], data[10:], lines[2].removeprefix(_TRUSTED)
    if algorithm not in (_PREHASHED, _KEY):
        raise _unusable("signature", "it is of another kind")
    if key_id != key.key_id:
        raise InvalidParams(
            f"The signature is by another key ({key_id[::-1].hex().upper()}) than the one given ({key.name}).",
            remedy="Give the public key of who signed it.",
        )
    message = _file_hash(path) if algorithm == _PREHASHED else path.read_bytes()
    overall = _decoded(lines[3], "signature", 64)
    if not (_is_signed(key, signed, message) and _is_signed(key, overall, signed + comment.encode())):
        raise InvalidParams(
            "The signature is not of this file.", remedy="Ask for the file and its signature again; one was changed."
        )
    return comment


def _is_signed(key: PublicKey, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key.key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _file_hash(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=64)).digest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a key given as it is may be no possible name
        return False


def _text(path: Path) -> str:
    try:
        with path.open("r", encoding="utf-8") as file:
            return file.read(_MOST_CHARS)
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is not text"
        raise InvalidParams(f"{path} cannot be read: {reason}.", remedy="Name a key or signature of minisign.") from exc


def _payload(text: str, what: str, length: int) -> bytes:
    """The first line that is no comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_UNTRUSTED)]
    return _decoded(lines[0] if lines else "", what, length)


def _decoded(line: str, what: str, length: int) -> bytes:
    try:
        data = base64.b64decode(line.strip(), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise _unusable(what, "it is not written in base 64") from exc
    if len(data) != length:
        raise _unusable(what, "it has another length")
    return data


def _unusable(what: str, why: str) -> InvalidParams:
    return InvalidParams(f"This is not a {what} of minisign: {why}.", remedy="`lyra pack keygen` makes a pair of keys.")


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
