package io.godwit.plugin.throttle;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/** How much a tenant may use in the whole cluster; where it says nothing, as much as its settings allow. Immutable. */
public final class TenantLimits {
    /** Says nothing. */
    public static final TenantLimits NONE = builder().build();

    private final Map<TenantResource, Long> most;

    private TenantLimits(Map<TenantResource, Long> most) {
        this.most = most;
    }

    /** Starts one that says nothing. */
    public static Builder builder() {
        return new Builder();
    }

    /** The most of a resource; 0 is none at all. Empty when nothing is said of it. */
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
         * @param value at least 0, which is none at all
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
