package io.godwit.broker.config.key;

/**
 * A value as given by the user.
 *
 * @param text stripped; for a list, one item per line
 * @param origin where it was given, for people: {@code line 7}, {@code environment variable GODWIT_BOOTSTRAP}
 */
public record Given(String text, String origin) {}
