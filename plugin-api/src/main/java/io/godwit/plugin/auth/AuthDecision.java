package io.godwit.plugin.auth;

/** The answer to the check of a publish or of a filter. */
public sealed interface AuthDecision permits AuthDecision.Allowed, AuthDecision.Denied, AuthDecision.Undecided {
    /** The one value of {@link Allowed}. */
    AuthDecision ALLOWED = new Allowed();

    /** The one value of {@link Undecided}. */
    AuthDecision UNDECIDED = new Undecided();

    /** It may. */
    record Allowed() implements AuthDecision {}

    /**
     * It may not.
     *
     * @param detail for events and logs, such as the rule that said so; not told to the client
     */
    record Denied(String detail) implements AuthDecision {}

    /**
     * This provider has no rules for the client: the next one of {@code authConfig.providers} is asked. What nobody
     * decides is denied.
     */
    record Undecided() implements AuthDecision {}
}
