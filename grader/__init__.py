"""The harness that judges a course's submissions. It knows no stage by name: see course.toml."""
