package org.example.throttle;

import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginSettings;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import io.godwit.plugin.throttle.TenantLimits;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.throttle.TenantUsage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Tenants may use what their plan says. */
public final class TenantPlans implements ResourceThrottlerFactory, Plugin {
    private final Map<String, TenantLimits.Builder> builders = new HashMap<>();
    private final Map<String, TenantLimits> plans = new HashMap<>();
    private Meters.Counter full;

    @Override
    public String name() {
        return "tenant-plans";
    }

    @Override
    public void create(PluginContext context) {
        PluginSettings settings = context.settings();
        for (String line : settings.list("limits")) {
            try {
                read(line);
            } catch (IllegalArgumentException e) {
                settings.error("limits", "must be TENANT.RESOURCE=NUMBER, was " + line + ": " + e.getMessage());
            }
        }
        builders.forEach((tenant, limits) -> plans.put(tenant, limits.build()));
        full = context.meters().counter("full", "seconds for which tenants had all their connections");
    }

    private void read(String line) {
        int equals = line.indexOf('=');
        int dot = line.lastIndexOf('.', equals);
        if (dot < 1) {
            throw new IllegalArgumentException("no tenant");
        }
        TenantResource resource = resource(line.substring(dot + 1, equals));
        builders.computeIfAbsent(line.substring(0, dot), tenant -> TenantLimits.builder())
                .most(resource, number(line.substring(equals + 1)));
    }

    private static TenantResource resource(String name) {
        for (TenantResource resource : TenantResource.values()) {
            if (nameOf(resource).equals(name.toLowerCase(Locale.ROOT))) {
                return resource;
            }
        }
        throw new IllegalArgumentException("no resource is named " + name + ", only "
                + Arrays.stream(TenantResource.values()).map(TenantPlans::nameOf).collect(Collectors.joining(", ")));
    }

    private static String nameOf(TenantResource resource) {
        return resource.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(text + " is no whole number", e);
        }
    }

    /** It looks at a few numbers. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public ResourceThrottler create() {
        return this::limits;
    }

    private CompletableFuture<TenantLimits> limits(TenantUsage usage) {
        TenantLimits plan = plans.getOrDefault(usage.tenant().value(), TenantLimits.NONE);
        long most = plan.most(TenantResource.CONNECTIONS).orElse(Long.MAX_VALUE);
        if (usage.inCluster(TenantResource.CONNECTIONS) >= most) {
            full.add(1);
        }
        return CompletableFuture.completedFuture(plan);
    }
}
