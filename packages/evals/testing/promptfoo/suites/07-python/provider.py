def call_api(prompt, options, context):
    if "boom" in prompt:
        return {"error": "boom"}
    words = options["config"]["words"]
    return {"output": " ".join([prompt] * words), "tokenUsage": {"total": 3, "prompt": 1, "completion": 2}, "cost": 0.5}
