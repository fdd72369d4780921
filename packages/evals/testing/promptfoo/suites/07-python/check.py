def get_assert(output, context):
    return {"pass": "banana" in output, "score": 0.9, "reason": "looked for bananas", "named_scores": {"fruit": 0.4}}


def long_enough(output, context):
    print("this is not part of the answer")
    return len(output) > 25
