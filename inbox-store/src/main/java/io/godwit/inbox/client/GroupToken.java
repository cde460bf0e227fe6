package io.godwit.inbox.client;

/**
 * The delivery token of a shared group's message. It prevents a second delivery when the publisher repeats the message,
 * or when a leader that gives it to another member repeats that.
 *
 * @param isRepeat whether the message may have been given before, perhaps by an earlier process
 */
public record GroupToken(String origin, long number, boolean isRepeat) {}
