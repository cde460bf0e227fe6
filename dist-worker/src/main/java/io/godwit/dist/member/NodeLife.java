package io.godwit.dist.member;

/** One life of a node's process. */
public record NodeLife(String nodeId, long incarnation) {}
