import os

# The wheels of onnxruntime (1.29 and newer) send usage events to their maker, unless told before their first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
