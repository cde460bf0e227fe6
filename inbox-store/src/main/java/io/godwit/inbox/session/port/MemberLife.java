package io.godwit.inbox.session.port;

/** One incarnation of a member's process; the next process has a higher incarnation. */
public record MemberLife(String nodeId, long incarnation) {}
