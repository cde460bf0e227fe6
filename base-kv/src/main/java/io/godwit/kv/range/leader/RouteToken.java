package io.godwit.kv.range.leader;

/**
 * Identifies one leadership of one range, which has the same bounds all the time. A request from another node carries
 * the token that it was routed by, and a replica accepts it only while it leads under this token. A token never
 * returns, so after one refusal all later requests with it are refused too: of the requests that a node sends under one
 * token, the refused ones are the last. They may be sent again, in order, under the next token without overtaking any.
 *
 * <p>The token does not contain the epoch. The epoch also rises with a change of members, which does not concern
 * requests; when bounds change, a new leadership is made.
 *
 * @param fence rises with every leadership on one node; after a restart of the node the term is higher
 */
public record RouteToken(long rangeId, long term, long fence) {}
