package io.godwit.inbox.format;

import org.jspecify.annotations.Nullable;

/**
 * Extra data of a queued message for which its session was chosen as a member of a shared group. If the session ends
 * before it finishes the message, another member is chosen.
 *
 * @param filter the shared subscription
 * @param tokenOrigin with {@code tokenNumber} the delivery token of the message; null for none
 */
public record GroupCopy(String filter, @Nullable String tokenOrigin, long tokenNumber) {}
