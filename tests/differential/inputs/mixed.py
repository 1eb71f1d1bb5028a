# Input of the differential suite: a good part of the interpreter and of its C modules.
import collections, hashlib, json, re, sqlite3, struct, zlib

text = open('text').read()
words = collections.Counter(text.split())
print(words.most_common(5))
print(hashlib.sha256(text.encode()).hexdigest(), zlib.crc32(text.encode()))
database = sqlite3.connect('words.db')
database.execute('create table words (word text primary key, count integer)')
database.executemany('insert into words values (?, ?)', sorted(words.items()))
database.commit()
print(database.execute('select count(*), sum(count), max(word) from words').fetchall())
print(re.findall(r'(\d+) line (\d+)', text)[:3])
json.dump(sorted(words)[:100], open('words.json', 'w'))


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


numbers = fibonacci()
print([next(numbers) for _ in range(200)][-1], struct.pack('<d', 2 ** 0.5).hex())
try:
    [].pop()
except IndexError as error:
    print('caught', error)
