"""A certificate for servers of tests that speak TLS."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import datetime, ipaddress, sys
from pathlib import Path
folder = Path(sys.argv[1])
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
now = datetime.datetime.now(datetime.UTC)
certificate = (
    x509.CertificateBuilder()
    .subject_name(name)
    .issuer_name(name)
    .public_key(key.public_key())
    .serial_number(1)
    .not_valid_before(now - datetime.timedelta(days=1))
    .not_valid_after(now + datetime.timedelta(days=1))
    .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
    .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    .sign(key, hashes.SHA256())
)
paths = folder / "certificate.pem", folder / "key.pem"
paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
paths[1].write_bytes(
    key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
)
"""


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that is its own authority, and its key, as files in a folder."""
    # In a process of its own: where modules were unloaded, cryptography may be there twice, and refuse its own values.
    subprocess.run([sys.executable, "-c", _SCRIPT, str(folder)], check=True, timeout=60)
    return folder / "certificate.pem", folder / "key.pem"
