package io.godwit.plugin.auth;

/** What an {@link AuthProvider} can be asked for. */
public enum AuthCheck {
    /** {@link AuthProvider#connect}. */
    CONNECT,
    /** {@link AuthProvider#publish}, wills included. */
    PUBLISH,
    /** {@link AuthProvider#subscribe}. */
    SUBSCRIBE
}
