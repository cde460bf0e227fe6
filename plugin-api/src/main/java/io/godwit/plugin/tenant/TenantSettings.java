package io.godwit.plugin.tenant;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/** The settings of one tenant; those not set here have the node's values. Immutable. */
public final class TenantSettings {
    /** Sets nothing. */
    public static final TenantSettings NONE = builder().build();

    private final Map<TenantSetting, Long> values;

    private TenantSettings(Map<TenantSetting, Long> values) {
        this.values = values;
    }

    /** Starts a builder without values. */
    public static Builder builder() {
        return new Builder();
    }

    /** The value of one setting, as {@link TenantSetting} defines it; empty when it is not set. */
    public OptionalLong get(TenantSetting setting) {
        Long value = values.get(setting);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** All values that are set. */
    public Map<TenantSetting, Long> values() {
        return values;
    }

    /** These values; where they are not set, those of {@code other}. */
    public TenantSettings over(TenantSettings other) {
        Builder both = builder();
        both.values.putAll(other.values);
        both.values.putAll(values);
        return both.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenantSettings same && values.equals(same.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }

    /** Collects values. Not thread safe. */
    public static final class Builder {
        private final Map<TenantSetting, Long> values = new EnumMap<>(TenantSetting.class);

        private Builder() {}

        /**
         * Sets a number: for a choice the index of the word, for a set a bit for each word.
         *
         * @throws IllegalArgumentException when the setting does not allow it; the message names both
         */
        public Builder set(TenantSetting setting, long value) {
            try {
                values.put(setting, setting.checked(value));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(setting.key() + " " + e.getMessage() + ", was " + value, e);
            }
            return this;
        }

        /** Sets a flag. */
        public Builder set(TenantSetting setting, boolean value) {
            return set(setting, value ? 1 : 0);
        }

        /**
         * Sets the value of a text in the form of the tenants' file.
         *
         * @throws IllegalArgumentException when the setting does not allow it
         */
        public Builder parse(TenantSetting setting, String text) {
            try {
                values.put(setting, setting.parse(text));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(setting.key() + " " + e.getMessage() + ", was \"" + text + "\"", e);
            }
            return this;
        }

        public TenantSettings build() {
            return new TenantSettings(values.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(values)));
        }
    }
}
