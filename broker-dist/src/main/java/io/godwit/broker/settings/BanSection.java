package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;

/** {@code banConfig}. */
public record BanSection(
        @ConfigKey(value = "500", min = 0, reload = true, text = """
                    How often within the window logins from one source may fail for what clients say of themselves
                    (not: because the broker is busy); 0 = any number, as with the next three.
                    """)
        int maxFailedLoginsPerSource,

        @ConfigKey(value = "0", min = 0, reload = true, text = "How often peers at one source may break the protocol.")
        int maxViolationsPerSource,

        @ConfigKey(value = "0", min = 0, reload = true, text = """
                    How often clients at one source, and of one client id, may connect and be gone within
                    flapSeconds.
                    """)
        int maxFlapsPerSource,

        @ConfigKey(value = "0", min = 0, reload = true) int maxFlapsPerClientId,

        @ConfigKey(value = "5", min = 1, max = 3_600, unit = Unit.SECONDS, reload = true)
        int flapSeconds,

        @ConfigKey(
                value = "60",
                min = 1,
                max = 86_400,
                unit = Unit.SECONDS,
                reload = true,
                text = "The window, and how long a ban lasts.")
        int windowSeconds,

        @ConfigKey(value = "60", min = 1, max = 31_536_000, unit = Unit.SECONDS, reload = true)
        int banSeconds) {}
