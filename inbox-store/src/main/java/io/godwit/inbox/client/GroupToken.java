package io.godwit.inbox.client;

/**
 * The delivery token that a message of a shared group came under, so that neither a repeat by its publisher nor one by
 * who gives it to another member reaches a third.
 *
 * @param isRepeat whether it may have been given before, perhaps by an earlier process
 */
public record GroupToken(String origin, long number, boolean isRepeat) {}
