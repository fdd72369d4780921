def make(context):
    return "About " + context["vars"]["topic"]
