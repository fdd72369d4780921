def get_var(name, prompt, vars):
    return {"output": "words from python"}
