package io.godwit.plugin.throttle;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How much a tenant may use in the whole cluster. For a resource without a limit here, only its settings apply.
 * Immutable.
 */
public final class TenantLimits {
    /** Sets no limit. */
    public static final TenantLimits NONE = builder().build();

    private final Map<TenantResource, Long> most;

    private TenantLimits(Map<TenantResource, Long> most) {
        this.most = most;
    }

    /** Starts a builder without limits. */
    public static Builder builder() {
        return new Builder();
    }

    /** The limit of a resource; 0 allows none. Empty when it has no limit. */
    public OptionalLong most(TenantResource resource) {
        Long value = most.get(resource);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenantLimits same && most.equals(same.most);
    }

    @Override
    public int hashCode() {
        return most.hashCode();
    }

    @Override
    public String toString() {
        return most.toString();
    }

    /** Collects limits. Not thread safe. */
    public static final class Builder {
        private final Map<TenantResource, Long> most = new EnumMap<>(TenantResource.class);

        private Builder() {}

        /**
         * Sets a limit.
         *
         * @param value at least 0; 0 allows none
         * @throws IllegalArgumentException when it is negative
         */
        public Builder most(TenantResource resource, long value) {
            if (value < 0) {
                throw new IllegalArgumentException(resource + " must be at least 0, was " + value);
            }
            most.put(resource, value);
            return this;
        }

        public TenantLimits build() {
            return new TenantLimits(most.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(most)));
        }
    }
}
