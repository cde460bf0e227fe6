package io.godwit.api.contract;

/**
 * The error of one field.
 *
 * @param field name of a parameter, or path in a body with dots, such as {@code items.0.level}; empty for the whole
 */
public record FieldError(String field, String message) {}
