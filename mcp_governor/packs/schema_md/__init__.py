"""SCHEMA.md of the gateway: conventions of schemas."""
