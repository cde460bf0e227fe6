package io.godwit.dist.member.view;

/** One incarnation of a node's process. */
public record NodeLife(String nodeId, long incarnation) {}
