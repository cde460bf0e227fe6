/**
 * What the pods of {@code helm/godwit} ask the API server of Kubernetes.
 *
 * <pre>
 * KubernetesCommand  the command, with a subcommand for each question
 * KubernetesApi      asks as the service account of the pod
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.kubernetes;

import org.jspecify.annotations.NullMarked;
