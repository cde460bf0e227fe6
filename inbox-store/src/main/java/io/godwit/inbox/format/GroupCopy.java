package io.godwit.inbox.format;

import org.jspecify.annotations.Nullable;

/**
 * What a queue keeps of a message that its session was chosen for as a member of a shared group: when the session ends
 * without it, another member is chosen.
 *
 * @param filter the shared subscription
 * @param tokenOrigin with {@code tokenNumber} the delivery token it came under; null for none
 */
public record GroupCopy(String filter, @Nullable String tokenOrigin, long tokenNumber) {}
