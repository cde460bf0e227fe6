package io.godwit.plugin.auth;

/** The answer to the check of a publish or of a filter. */
public sealed interface AuthDecision permits AuthDecision.Allowed, AuthDecision.Denied, AuthDecision.Undecided {
    /** The one value of {@link Allowed}. */
    AuthDecision ALLOWED = new Allowed();

    /** The one value of {@link Undecided}. */
    AuthDecision UNDECIDED = new Undecided();

    /** The action is allowed. */
    record Allowed() implements AuthDecision {}

    /**
     * The action is not allowed.
     *
     * @param detail for events and logs, such as the rule that denied it; the client does not see it
     */
    record Denied(String detail) implements AuthDecision {}

    /**
     * This provider has no rules for the client. The broker asks the next provider of {@code authConfig.providers}. If
     * every provider is undecided, the check is denied.
     */
    record Undecided() implements AuthDecision {}
}
