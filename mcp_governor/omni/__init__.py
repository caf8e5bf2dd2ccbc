"""The shared schemas of the tool schema guide, with the functions around them, for servers and their tests.

:mod:`.tool_result` is the result of ``tools/call`` (section 0), :mod:`.server_info` the response to GET on the endpoint
(section 0a). Each has one schema file, and everything else reads it.
"""
