{{/* Names. 40 letters leave room for what is appended, and for what Kubernetes appends to names of pods. */}}
{{- define "godwit.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "godwit.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "godwit.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "godwit.selector" -}}
app.kubernetes.io/name: {{ include "godwit.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "godwit.labels" -}}
{{ include "godwit.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "godwit.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}

{{- define "godwit.headless" -}}{{ include "godwit.fullname" . }}-nodes{{- end -}}

{{/* The DNS name that stands for all pods. */}}
{{- define "godwit.domainName" -}}
{{ include "godwit.headless" . }}.{{ .Release.Namespace }}.svc.{{ .Values.cluster.domain }}
{{- end -}}

{{- define "godwit.foundedSecret" -}}
{{- default (printf "%s-cluster" (include "godwit.fullname" .)) .Values.foundedSecret -}}
{{- end -}}

{{- define "godwit.apiSecret" -}}
{{- default (printf "%s-api" (include "godwit.fullname" .)) .Values.api.existingSecret -}}
{{- end -}}

{{/* Empty when there is no certificate for clients. */}}
{{- define "godwit.listenerTlsSecret" -}}
{{- if .Values.listenerTls.certManager.enabled -}}
{{ include "godwit.fullname" . }}-tls
{{- else -}}
{{ .Values.listenerTls.existingSecret }}
{{- end -}}
{{- end -}}

{{/* Empty when nodes talk in the clear. */}}
{{- define "godwit.clusterTlsSecret" -}}
{{- if .Values.cluster.tls.certManager.enabled -}}
{{ include "godwit.fullname" . }}-nodes-tls
{{- else -}}
{{ .Values.cluster.tls.existingSecret }}
{{- end -}}
{{- end -}}

{{/* Seeds name each pod, so that more than half of them found together. Empty for one pod alone. */}}
{{- define "godwit.seeds" -}}
{{- $seeds := list -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- range $i := until (int .Values.replicas) -}}
{{- $seeds = append $seeds (printf "%s-%d.%s:%d" (include "godwit.fullname" $) $i (include "godwit.domainName" $) (int $.Values.cluster.port)) -}}
{{- end -}}
{{- end -}}
{{- join "," $seeds -}}
{{- end -}}

{{/* What must not be chosen together, in words. */}}
{{- define "godwit.check" -}}
{{- $fullname := include "godwit.fullname" . -}}
{{- if or (not (regexMatch "^[a-z][-a-z0-9]*[a-z0-9]$" $fullname)) (has $fullname (list "true" "false" "null" "yes" "no" "on" "off")) -}}
{{- fail (printf "%s is no name for services: give another one by fullnameOverride, of small letters, digits and dashes, that begins with a letter" $fullname) -}}
{{- end -}}
{{- $common := default dict .Values.commonLabels -}}
{{- range $path, $labels := dict "commonLabels" $common "podLabels" (default dict .Values.podLabels) "metrics.podMonitor.labels" (default dict .Values.metrics.podMonitor.labels) "metrics.rules.labels" (default dict .Values.metrics.rules.labels) "metrics.dashboard.labels" (default dict .Values.metrics.dashboard.labels) -}}
{{- range $label, $_ := $labels -}}
{{- if and (ne $path "commonLabels") (hasKey $common $label) -}}{{- fail (printf "the label %s is in commonLabels and in %s" $label $path) -}}{{- end -}}
{{- end -}}
{{- range $label := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- if hasKey $labels $label -}}{{- fail (printf "the label %s is set by the chart" $label) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $services := list -}}
{{- range .Values.services -}}
{{- if has .name $services -}}{{- fail (printf "services: two have the name %q" .name) -}}{{- end -}}
{{- $services = append $services .name -}}
{{- end -}}
{{- $auth := list -}}
{{- if .Values.auth.existingSecret -}}{{- $auth = append $auth "existingSecret" -}}{{- end -}}
{{- if .Values.auth.provider -}}{{- $auth = append $auth "provider" -}}{{- end -}}
{{- if .Values.auth.allowAll -}}{{- $auth = append $auth "allowAll" -}}{{- end -}}
{{- if ne (len $auth) 1 -}}
{{- fail "say who may connect: exactly one of auth.existingSecret, auth.provider and auth.allowAll" -}}
{{- end -}}
{{- if has .Values.auth.provider (list "allow-all" "file") -}}
{{- fail (printf "auth.provider is the name of a plugin, and %s is none: use auth.allowAll or auth.existingSecret" .Values.auth.provider) -}}
{{- end -}}
{{- if and .Values.auth.acl (not .Values.auth.existingSecret) -}}
{{- fail "auth.acl needs auth.existingSecret, which has the rules" -}}
{{- end -}}
{{- $nodes := list -}}
{{- if .Values.cluster.tls.existingSecret -}}{{- $nodes = append $nodes "existingSecret" -}}{{- end -}}
{{- if .Values.cluster.tls.certManager.enabled -}}{{- $nodes = append $nodes "certManager" -}}{{- end -}}
{{- if .Values.cluster.tls.plain -}}{{- $nodes = append $nodes "plain" -}}{{- end -}}
{{- if ne (len $nodes) 1 -}}
{{- fail "say how nodes prove who they are: exactly one of cluster.tls.existingSecret, cluster.tls.certManager.enabled and cluster.tls.plain (everybody whom the NetworkPolicy lets to the ports is a node)" -}}
{{- end -}}
{{- if and .Values.listenerTls.existingSecret .Values.listenerTls.certManager.enabled -}}
{{- fail "listenerTls: existingSecret or certManager, not both" -}}
{{- end -}}
{{- $public := .Values.listenerTls.certManager -}}
{{- $private := .Values.cluster.tls.certManager -}}
{{- range $path, $manager := dict "listenerTls" $public "cluster.tls" $private -}}
{{- if and $manager.enabled (not $manager.issuerRef.name) -}}
{{- fail (printf "%s.certManager.issuerRef has no name" $path) -}}
{{- end -}}
{{- end -}}
{{- $isSameSecret := and .Values.cluster.tls.existingSecret (eq (toString .Values.cluster.tls.existingSecret) (toString .Values.listenerTls.existingSecret)) -}}
{{- $isSameIssuer := and $public.enabled $private.enabled (eq $public.issuerRef.kind $private.issuerRef.kind) (eq $public.issuerRef.name $private.issuerRef.name) -}}
{{- if or $isSameSecret $isSameIssuer -}}
{{- fail "cluster.tls and listenerTls are of the same authority: everybody who has a certificate of it could act as a node. Take another Secret or issuer for one of them" -}}
{{- end -}}
{{- $tls := include "godwit.listenerTlsSecret" . -}}
{{- if and (not $tls) (or .Values.listeners.tls.enabled .Values.listeners.wss.enabled .Values.api.tls) -}}
{{- fail "listeners.tls, listeners.wss and api.tls need a certificate: listenerTls.existingSecret or listenerTls.certManager" -}}
{{- end -}}
{{- if and .Values.plugins.volume (or .Values.plugins.images .Values.plugins.initContainers) -}}
{{- fail "plugins: volume, or images and initContainers, not both" -}}
{{- end -}}
{{- if and .Values.networkPolicy.egress.enabled (not .Values.networkPolicy.enabled) -}}
{{- fail "networkPolicy.egress needs networkPolicy.enabled" -}}
{{- end -}}
{{- $ports := list -}}
{{- range $name, $listener := .Values.listeners -}}
{{- if $listener.enabled -}}{{- $ports = append $ports (int $listener.port) -}}{{- end -}}
{{- end -}}
{{- if not $ports -}}{{- fail "no listener is enabled" -}}{{- end -}}
{{- $ports = concat $ports (list (int .Values.api.port) (int .Values.cluster.port) (int .Values.cluster.rpcPort)) -}}
{{- if ne (len $ports) (len (uniq $ports)) -}}
{{- fail (printf "two of the ports are the same: %v" $ports) -}}
{{- end -}}
{{- range $path := list "bootstrap" "clusterConfig.env" "clusterConfig.host" "clusterConfig.port" "clusterConfig.rpcPort" "clusterConfig.clusterDomainName" "clusterConfig.seedEndpoints" "clusterConfig.foundAlone" "clusterConfig.tls" "authConfig.provider" "authConfig.file" "authConfig.aclFile" "apiServerConfig.enable" "apiServerConfig.host" "apiServerConfig.port" "apiServerConfig.tokensFile" "apiServerConfig.tls" "mqttServerConfig.tcpListener.port" "mqttServerConfig.tlsListener.port" "mqttServerConfig.wsListener.port" "mqttServerConfig.wssListener.port" "mqttServerConfig.tcpListener.enable" "mqttServerConfig.tlsListener.enable" "mqttServerConfig.wsListener.enable" "mqttServerConfig.wssListener.enable" -}}
{{- $at := $.Values.config -}}
{{- range $key := splitList "." $path -}}
{{- if kindIs "map" $at -}}{{- $at = get $at $key -}}{{- else -}}{{- $at = "" -}}{{- end -}}
{{- end -}}
{{- if ne (toString $at) "" -}}
{{- fail (printf "config.%s is set by the chart: use its other values" $path) -}}
{{- end -}}
{{- /* A variable has the last word over the file. */ -}}
{{- $variable := printf "GODWIT_%s" ($path | replace "." "_" | snakecase | upper) -}}
{{- range $.Values.extraEnv -}}
{{- if or (eq .name $variable) (hasPrefix (printf "%s_" $variable) .name) -}}
{{- fail (printf "extraEnv: %s is set by the chart" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if or (has .name (list "POD_NAME" "POD_IP" "JVM_OPTS" "JVM_HEAP_OPTS")) (hasPrefix "CHART_" .name) (hasPrefix "PODS_" .name) -}}
{{- fail (printf "extraEnv: %s is set by the chart" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* standalone.yml: what is asked for, and over it what the chart answers for. */}}
{{- define "godwit.configuration" -}}
{{- $listeners := dict -}}
{{- range $name, $listener := .Values.listeners -}}
{{- $keys := dict "enable" $listener.enabled "port" (int $listener.port) -}}
{{- if and $listener.enabled (has $name (list "tls" "wss")) -}}
{{- $ssl := dict "certFile" "/etc/godwit-tls/tls.crt" "keyFile" "/etc/godwit-tls/tls.key" "clientAuth" $.Values.listenerTls.clientAuth -}}
{{- if ne $.Values.listenerTls.clientAuth "none" -}}
{{- $_ := set $ssl "trustCertsFile" "/etc/godwit-tls/ca.crt" -}}
{{- end -}}
{{- $_ := set $keys "sslConfig" $ssl -}}
{{- end -}}
{{- $_ := set $listeners (printf "%sListener" $name) $keys -}}
{{- end -}}
{{- $auth := dict "provider" (ternary "allow-all" (ternary "file" .Values.auth.provider (ne .Values.auth.existingSecret "")) .Values.auth.allowAll) -}}
{{- if .Values.auth.existingSecret -}}
{{- $_ := set $auth "file" "/etc/godwit-auth/passwd" -}}
{{- if .Values.auth.acl -}}{{- $_ := set $auth "aclFile" "/etc/godwit-auth/acl" -}}{{- end -}}
{{- end -}}
{{- $tls := dict "plain" true -}}
{{- if include "godwit.clusterTlsSecret" . -}}
{{- $tls = dict "certFile" "/etc/godwit-nodes/tls.crt" "keyFile" "/etc/godwit-nodes/tls.key" "trustCertsFile" "/etc/godwit-nodes/ca.crt" -}}
{{- end -}}
{{- $env := default (printf "%s.%s" .Release.Namespace (include "godwit.fullname" .)) .Values.cluster.env -}}
{{- $cluster := dict "env" $env "port" (int .Values.cluster.port) "rpcPort" (int .Values.cluster.rpcPort) "clusterDomainName" (include "godwit.domainName" .) "tls" $tls -}}
{{- $api := dict "host" "0.0.0.0" "port" (int .Values.api.port) "tokensFile" "/etc/godwit-api/tokens" -}}
{{- if .Values.api.tls -}}
{{- $_ := set $api "tls" (dict "certFile" "/etc/godwit-tls/tls.crt" "keyFile" "/etc/godwit-tls/tls.key") -}}
{{- end -}}
{{- $chart := dict "mqttServerConfig" $listeners "authConfig" $auth "clusterConfig" $cluster "apiServerConfig" $api -}}
{{- mergeOverwrite (deepCopy .Values.config) $chart | toYaml -}}
{{- end -}}

{{- define "godwit.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 10001
capabilities: {drop: [ALL]}
{{- end -}}
