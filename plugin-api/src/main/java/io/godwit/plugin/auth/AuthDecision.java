package io.godwit.plugin.auth;

/** The answer to the check of a publish or of a filter. */
public sealed interface AuthDecision permits AuthDecision.Allowed, AuthDecision.Denied {
    /** The one value of {@link Allowed}. */
    AuthDecision ALLOWED = new Allowed();

    /** It may. */
    record Allowed() implements AuthDecision {}

    /**
     * It may not.
     *
     * @param detail for events and logs, such as the rule that said so; not told to the client
     */
    record Denied(String detail) implements AuthDecision {}
}
