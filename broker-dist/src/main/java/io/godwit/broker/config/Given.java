package io.godwit.broker.config;

/**
 * A value as somebody wrote it.
 *
 * @param text stripped; an item a line where it is a list
 * @param origin where it is from, for people: {@code line 7}, {@code environment variable GODWIT_BOOTSTRAP}
 */
public record Given(String text, String origin) {}
