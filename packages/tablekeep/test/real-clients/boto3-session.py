"""A session of boto3 with an endpoint: tables, items, conditions, transactions, PartiQL, pages, streams. Ends with `ok`."""

import decimal
import sys

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

endpoint, access_key_id, secret_access_key = sys.argv[1:]
settings = dict(
    endpoint_url=endpoint,
    region_name="eu-central-1",
    aws_access_key_id=access_key_id,
    aws_secret_access_key=secret_access_key,
)
client = boto3.client("dynamodb", **settings)
streams = boto3.client("dynamodbstreams", **settings)
table = boto3.resource("dynamodb", **settings).create_table(
    TableName="boto3",
    KeySchema=[
        dict(AttributeName="pk", KeyType="HASH"),
        dict(AttributeName="sk", KeyType="RANGE"),
    ],
    AttributeDefinitions=[
        dict(AttributeName=name, AttributeType=kind) for name, kind in (("pk", "S"), ("sk", "N"), ("group", "S"))
    ],
    GlobalSecondaryIndexes=[
        dict(
            IndexName="byGroup",
            KeySchema=[dict(AttributeName="group", KeyType="HASH")],
            Projection=dict(ProjectionType="ALL"),
        )
    ],
    BillingMode="PAY_PER_REQUEST",
    StreamSpecification=dict(StreamEnabled=True, StreamViewType="NEW_AND_OLD_IMAGES"),
)
table.wait_until_exists()
assert table.creation_date_time.year >= 2020

item = {
    "bytes": b"\x00\xff",
    "set": {"x", "y"},
    "number": decimal.Decimal("1.25"),
    "map": {"list": [decimal.Decimal(1), None, True, "é"]},
}
with table.batch_writer() as batch:
    for sk in range(60):
        batch.put_item(Item={"pk": "a", "sk": sk, "group": f"g{sk % 3}", **item})

found = table.get_item(Key={"pk": "a", "sk": 1})["Item"]
assert found == {"pk": "a", "sk": 1, "group": "g1", **item}, found
between = Key("pk").eq("a") & Key("sk").between(5, 9)
assert table.query(KeyConditionExpression=between, FilterExpression=Attr("group").eq("g0"))["Count"] == 2
assert table.query(IndexName="byGroup", KeyConditionExpression=Key("group").eq("g1"))["Count"] == 20
updated = table.update_item(
    Key={"pk": "a", "sk": 1},
    UpdateExpression="SET #n = #n + :one ADD #s :z",
    ExpressionAttributeNames={"#n": "number", "#s": "set"},
    ExpressionAttributeValues={":one": 1, ":z": {"z"}},
    ReturnValues="UPDATED_NEW",
)["Attributes"]
assert updated == {"number": decimal.Decimal("2.25"), "set": {"x", "y", "z"}}, updated

try:
    table.put_item(Item={"pk": "a", "sk": 1}, ConditionExpression="attribute_not_exists(pk)")
    raise AssertionError("the condition holds")
except client.exceptions.ConditionalCheckFailedException as error:
    assert error.response["Error"]["Message"] == "The conditional request failed"

put = {
    "TableName": "boto3",
    "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}},
    "ConditionExpression": "attribute_not_exists(pk)",
}
delete = {"TableName": "boto3", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}}
try:
    client.transact_write_items(TransactItems=[{"Put": put}, {"Delete": delete}])
    raise AssertionError("the transaction went through")
except client.exceptions.TransactionCanceledException as error:
    assert [reason["Code"] for reason in error.response["CancellationReasons"]] == ["ConditionalCheckFailed", "None"]

statement = "SELECT sk FROM boto3 WHERE pk = 'a' AND sk < 3"
assert len(client.execute_statement(Statement=statement)["Items"]) == 3
pages = client.get_paginator("scan").paginate(TableName="boto3", PaginationConfig={"PageSize": 7})
assert sum(page["Count"] for page in pages) == 60

arn = table.latest_stream_arn
shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
assert [record["eventName"] for record in records] == ["INSERT"] * 60 + ["MODIFY"]

wrong = boto3.client("dynamodb", **{**settings, "aws_secret_access_key": "wrong"})
try:
    wrong.list_tables()
    raise AssertionError("a wrong secret was let in")
except ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidSignatureException"

table.delete()
table.wait_until_not_exists()
assert client.list_tables()["TableNames"] == []
print("ok")
