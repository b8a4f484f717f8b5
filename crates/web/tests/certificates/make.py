#!/usr/bin/env python3
"""Makes the certificates of this folder, which the tests of the crate read. Takes Python's module `cryptography`.

A root, an authority between, and servers' certificates that are right, or wrong in one respect each; all of P-256
under one key, `bank.key`, but for one each of RSA and Ed25519. The keys are worth nothing: anybody has them."""
import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER = pathlib.Path(__file__).parent


def day(year):
    return datetime.datetime(year, 1, 1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, authority=False, names=(), usage=ExtendedKeyUsageOID.SERVER_AUTH,
                begin=2026, end=2056):
    builder = (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(day(begin)).not_valid_after(day(end))
               .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    if not authority:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def write(file, *parts):
    (FOLDER / file).write_bytes(b"".join(parts))


def pem(made):
    return made.public_bytes(serialization.Encoding.PEM)


def private(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


root_key, between_key, bank_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
root = certificate("root", root_key, "root", root_key, authority=True)
between = certificate("between", between_key, "root", root_key, authority=True)
other_key = ec.generate_private_key(ec.SECP256R1())
write("root.pem", pem(root))
write("other-root.pem", pem(certificate("other root", other_key, "other root", other_key, authority=True)))
write("between.pem", pem(between))
write("bank.key", private(bank_key))

BANK = [x509.DNSName("bank.example")]
for file, more in {
    "bank": {},
    "other": {"names": [x509.DNSName("other.example")]},
    "wildcard": {"names": [x509.DNSName("*.example")]},
    "deep-wildcard": {"names": [x509.DNSName("*.bank.example")]},
    "address": {"names": [x509.IPAddress(ipaddress.ip_address("192.0.2.1"))]},
    "no-name": {"names": ()},
    "expired": {"end": 2029},
    "not-yet": {"begin": 2031},
    "of-client": {"usage": ExtendedKeyUsageOID.CLIENT_AUTH},
    "authority": {"authority": True},
}.items():
    write(f"{file}.pem", pem(certificate("bank", bank_key, "between", between_key, **{"names": BANK, **more})))
for file, key in {"rsa": rsa.generate_private_key(65537, 2048), "ed25519": ed25519.Ed25519PrivateKey.generate()}.items():
    write(f"{file}.pem", pem(certificate("bank", key, "between", between_key, names=BANK)))
    write(f"{file}.key", private(key))
