package io.godwit.kv.range.leader;

/**
 * Names one leadership of one range, with the bounds it has for all its time. A request that comes from another node
 * carries the token it was routed by, and a replica takes it only while it leads under this token. Since no token
 * returns, whoever is refused once is refused for ever: of the requests that a node sends under one token the refused
 * ones are the last, and may be sent again in order under the next without overtaking any.
 *
 * <p>The epoch is not in it. It rises with a change of members too, which no request has to know of; where bounds
 * change the leadership is made anew.
 *
 * @param fence rises, on one node, with every leadership; that of a node's next life is told from it by the term
 */
public record RouteToken(long rangeId, long term, long fence) {}
