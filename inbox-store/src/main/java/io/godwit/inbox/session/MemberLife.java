package io.godwit.inbox.session;

/** One life of a member's process; the next one has a higher incarnation. */
public record MemberLife(String nodeId, long incarnation) {}
