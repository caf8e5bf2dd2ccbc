"""Source of the same small server on both frameworks, as a project of a user would hold it."""

from __future__ import annotations

FASTMCP = """
from fastmcp import FastMCP
from pydantic import Field
from typing import Annotated

server = FastMCP("stock", version="1.2.0")
"""
MCPSERVER = """
from mcp.server.mcpserver import MCPServer
from pydantic import Field
from typing import Annotated

server = MCPServer("stock", version="1.2.0")
"""
COUNT = '''

@server.tool(annotations={read_only})
def count_pieces(article: Annotated[str, Field(description="Number of the article, as printed on the shelf.")]) -> int:
    """Use this when the shop wants to know how many pieces of one article are left. Returns one number.

    Use list_articles instead when the article is not known. Chain list_articles with count_pieces.
    """
    return len(article)
'''
LIST = '''

@server.tool(annotations={read_only})
def list_articles(
    words: Annotated[str, Field(description="Words from the name of the article.")],
    limit: Annotated[int, Field(ge=1, le=50, description="How many articles to return at most.")] = 10,
) -> list[str]:
    """Use this when an article is described in words. Returns the numbers of articles that fit, best first.

    Use count_pieces instead when its number is known. Chain list_articles with count_pieces for the stock of one.
    """
    return [words] * limit
'''
CARELESS = '''

@server.tool(annotations={read_only})
def drop_article(article: str) -> str:
    """Drops."""
    return article
'''


def source(framework: str, *tools: str) -> str:
    """A module with a server named ``server``."""
    if framework == "mcpserver":
        read_only = "ToolAnnotations(read_only_hint=True, open_world_hint=False)"
        head = "from mcp_types import ToolAnnotations\n" + MCPSERVER
    else:
        read_only, head = '{"readOnlyHint": True, "openWorldHint": False}', FASTMCP
    return head + "".join(text.replace("{read_only}", read_only) for text in tools or (COUNT, LIST))
